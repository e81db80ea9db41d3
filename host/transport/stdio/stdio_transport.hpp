// The stdio transport: one message a line, in on one descriptor and out on another. Owned by the command
// stdio; run is called once and occupies its thread.
//
// A client that reads slowly is waited for: while too much is on its way to it no further line is taken, neither
// requests nor cancellations, and the calls in flight go on. So what it does not read is bounded by what it has asked
// for. One that reads nothing for LineWriter::Limits::patience is lost.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string_view>

#include "base/principal.hpp"
#include "protocol/server/server.hpp"
#include "runtime/self_pipe.hpp"
#include "telemetry/rate_limited_log.hpp"
#include "transport/incoming_text.hpp"
#include "transport/stdio/line_writer.hpp"

namespace mcph {

struct StdioOptions {
  std::size_t max_message_bytes = std::size_t{4} << 20;  // of one line that the client sends, without its end
  LineWriter::Limits output = {};
  Principal principal = anonymous;  // who the client is
};

class StdioTransport {
 public:
  static constexpr std::size_t max_requests_in_flight = 10'000;

  // The descriptors, the server and the log outlive it.
  StdioTransport(int input, int output, StdioOptions options, Server& server, Log& log);
  StdioTransport(const StdioTransport&) = delete;
  StdioTransport& operator=(const StdioTransport&) = delete;

  // Reads and hands on messages until the input ends, the output fails, or interrupt is called.
  void run();

  // [any] Makes run return.
  void interrupt() { interrupted_.trigger(); }

  // Every request is answered, or there is nobody to answer; what is answered may still have to be written.
  bool has_answered() const { return writer_->answers_due() == 0; }
  // Called whenever that has come about, on any thread; quick. Before run.
  void when_answered(std::function<void()> listener) { writer_->when_answered(std::move(listener)); }

  // After run: lets the client read the rest for as long as it goes on reading. False: it has not taken all that it
  // asked for, which has been logged.
  bool finish();

 private:
  bool wait_for_input();
  void take(std::string_view bytes);
  void end_line();
  void receive(std::string_view line);
  void refuse_long();

  const int input_;
  const StdioOptions options_;
  const SelfPipe interrupted_;
  Server& server_;
  RateLimitedLog log_;
  std::atomic<bool> client_lost_{false};
  const std::shared_ptr<LineWriter> writer_;
  DuplexClient client_;
  IncomingText line_;        // that has not ended
  bool has_waited_ = false;  // for the client to read
};

}  // namespace mcph
