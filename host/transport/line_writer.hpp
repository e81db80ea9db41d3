// Writes messages to a descriptor, one a line, in order, on a thread of its own, so that nobody who answers waits for
// the client to read. Bounded: a client that leaves more than the limit unread has stopped reading, and the writer
// closes. Also counts the requests that wait for an answer, which is what finishing means. Any thread.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "protocol/notification_stream.hpp"

namespace mcph {

class LineWriter final : public NotificationStream {
 public:
  static constexpr std::size_t most_unread_bytes = std::size_t{64} << 20;

  // The descriptor outlives the writer. `on_failure` is called once, with the reason, from any thread.
  LineWriter(int descriptor, std::function<void(std::string reason)> on_failure);
  ~LineWriter() override;
  LineWriter(const LineWriter&) = delete;
  LineWriter& operator=(const LineWriter&) = delete;

  bool send(std::string message) override;
  void close() override {}  // the stream ends with the process

  // A request was received; it will be answered by `answer`, with an empty message where none is due.
  void expect_answer();
  void answer(std::string message);
  std::size_t answers_due() const;

  // Waits until everything is answered and written; false if that took longer.
  bool drain(std::chrono::milliseconds patience);

 private:
  void write_queued();
  bool write_all(std::string_view text);
  void fail(std::unique_lock<std::mutex>& lock, std::string reason);

  const int descriptor_;
  const std::function<void(std::string)> on_failure_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::string queued_;
  bool writing_ = false;
  bool stopping_ = false;
  bool failed_ = false;
  std::size_t answers_due_ = 0;
  std::thread thread_;
};

}  // namespace mcph
