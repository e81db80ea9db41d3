// The stdio transport: one message a line, in on one descriptor and out on another. Made by main; run is called once
// and occupies its thread.
#pragma once

#include <chrono>
#include <memory>
#include <string_view>

#include "log.hpp"
#include "protocol/server.hpp"
#include "self_pipe.hpp"
#include "transport/line_writer.hpp"

namespace mcph {

class StdioTransport {
 public:
  static constexpr std::size_t longest_line = std::size_t{4} << 20;
  static constexpr std::size_t most_requests_in_flight = 10'000;

  // The descriptors, the server and the log outlive it.
  StdioTransport(int input, int output, Server& server, Log& log);
  StdioTransport(const StdioTransport&) = delete;
  StdioTransport& operator=(const StdioTransport&) = delete;

  // Reads and hands on messages until the input ends, the output fails, or interrupt is called.
  void run();

  // [any] Makes run return.
  void interrupt() { interrupted_.trigger(); }

  // Waits until every request is answered and the answer written; false if that took longer.
  bool finish(std::chrono::milliseconds patience) { return writer_->drain(patience); }

 private:
  bool wait_for_input() const;
  void receive(std::string_view line);
  void refuse(std::string_view reason);

  const int input_;
  const SelfPipe interrupted_;
  Server& server_;
  Log& log_;
  const std::shared_ptr<LineWriter> writer_;
  StdioClient client_;
};

}  // namespace mcph
