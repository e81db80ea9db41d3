// Writes messages to a descriptor, one a line, in order, on a thread of its own, so that nobody who answers waits for
// the client to read. Bounded: of a client that leaves more than the limit unread nothing more is taken, and the owner
// is told. Also counts the requests that wait for an answer, which is what finishing means. Any thread.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include "protocol/notification_stream.hpp"
#include "self_pipe.hpp"

namespace mcph {

class LineWriter final : public NotificationStream {
 public:
  // Of messages that wait behind others; one alone may be longer.
  static constexpr std::size_t most_unread_bytes = std::size_t{64} << 20;

  // The descriptor, which may block or not, outlives the writer. `on_failure` is called once, with the reason, from any
  // thread.
  LineWriter(int descriptor, std::function<void(std::string reason)> on_failure);
  // Waits for no client: what it does not read at once is lost. Drain first.
  ~LineWriter() override;
  LineWriter(const LineWriter&) = delete;
  LineWriter& operator=(const LineWriter&) = delete;

  bool send(std::string message) override;
  // Drops the message where send would give the client up. For what a client can do without.
  void send_if_room(const std::string& message);
  void close() override {}  // the stream ends with the process

  // A request was received; it will be answered by `answer`, with an empty message where none is due.
  void expect_answer();
  void answer(std::string message);
  std::size_t answers_due() const;

  // Waits until everything is answered and written, or the client is lost; false if that took longer.
  bool drain(std::chrono::milliseconds patience);

 private:
  void write_queued();
  // 0, or the errno of what failed.
  int write_all(std::string_view text) const;
  // False: the client does not read, and the writer is to stop.
  bool wait_for_room() const;
  bool fits(const std::string& message) const {
    return queued_.empty() || queued_.size() + message.size() <= most_unread_bytes;
  }
  void queue(std::unique_lock<std::mutex>& lock, const std::string& message);
  void fail(std::unique_lock<std::mutex>& lock, std::string reason);

  const int descriptor_;
  const std::function<void(std::string)> on_failure_;
  const SelfPipe stop_;  // the thread is to wait for the client no longer
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
