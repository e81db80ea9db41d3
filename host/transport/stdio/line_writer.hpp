// Writes messages to a descriptor, one a line, in order, on a thread of its own, so that nobody who answers waits for
// the client to read. Answers are kept however many there are, because the client has asked for them; the owner takes
// no more requests while has_room says no. What the client has not asked for is bounded here. Also counts the requests
// that wait for an answer, which is what finishing means. Any thread.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <string_view>
#include <thread>

#include "base/mutex.hpp"
#include "protocol/notification_stream.hpp"
#include "runtime/self_pipe.hpp"

namespace mcph {

class LineWriter final : public NotificationStream {
 public:
  struct Limits {
    // Of all that waits, beyond which no more requests should be taken; and of notifications that wait, beyond which a
    // client that has one more to read is lost.
    std::size_t unread_bytes = std::size_t{64} << 20;
    // A client that reads nothing for so long is lost.
    std::chrono::milliseconds patience{600'000};
  };

  struct Failure {
    std::string reason;
    bool client_left = false;  // it has closed the other end, which is one way to go
  };

  // The descriptor, which may block or not, outlives the writer. `on_failure` is called once, from any thread; from
  // then on no further line is written.
  LineWriter(int descriptor, Limits limits, std::function<void(const Failure&)> on_failure);
  // Waits for no client: what it does not read at once is lost. Drain first.
  ~LineWriter() override;
  LineWriter(const LineWriter&) = delete;
  LineWriter& operator=(const LineWriter&) = delete;

  bool send(std::string message) override;
  // Drops the message where so much waits that no more requests should be taken. For what a client can do without.
  void send_if_room(std::string message);
  void close() override {}  // the stream ends with the process

  // A request was received; it will be answered by `answer`, with an empty message where none is due.
  void expect_answer();
  void answer(std::string message);
  std::size_t answers_due() const;  // 0 once the client is lost
  // Called whenever there are none any more, on any thread; quick. Before the first is expected.
  void when_answered(std::function<void()> listener) { when_answered_ = std::move(listener); }

  bool has_room() const;
  std::size_t unread_bytes() const;

  // Waits until everything is answered and written, or the client is lost; false if that took longer.
  bool drain(std::chrono::milliseconds patience);
  // The same, for as long as the client goes on reading: false if it has read less than min_progress for `patience`.
  static constexpr std::uint64_t min_progress = std::uint64_t{64} << 10;
  bool drain_while_read(std::chrono::milliseconds patience);

 private:
  enum class Kind { notification, answer };
  struct Line {
    Kind kind;
    std::string text;
  };

  void write_queued();
  // The lines that are written next, taken out of the queue: those in short_lines_, or a long one, which is not copied
  // for its newline.
  struct Batch {
    std::string long_line;               // empty: there is none
    std::size_t bytes = 0;               // of the lines, as they were counted
    std::size_t notification_bytes = 0;  // of these, those of notifications
  };
  Batch take_batch() REQUIRES(mutex_);
  // 0, or the errno of what failed: ECANCELED if the writer is to stop, ETIMEDOUT if the client does not read.
  int write_all(std::string_view text);
  int wait_for_client() const;
  bool is_drained() const REQUIRES(mutex_) { return failed_ || (answers_due_ == 0 && unread_bytes_ == 0); }
  // True once it is.
  bool wait_until_drained(MutexLock& lock, std::chrono::milliseconds patience) REQUIRES(mutex_);
  void queue(Kind kind, std::string message) REQUIRES(mutex_);
  // Of an errno of write_all.
  Failure failure_of(int error) const EXCLUDES(mutex_);
  void fail(const Failure& failure) EXCLUDES(mutex_);

  const int descriptor_;
  const Limits limits_;
  const std::function<void(const Failure&)> on_failure_;
  std::function<void()> when_answered_;
  const SelfPipe stop_;  // the thread is to wait for the client no longer
  mutable Mutex mutex_;
  Condition changed_;
  std::deque<Line> queued_ GUARDED_BY(mutex_);
  std::size_t unread_bytes_ GUARDED_BY(mutex_) = 0;        // of what is queued or being written
  std::size_t notification_bytes_ GUARDED_BY(mutex_) = 0;  // of these, those of notifications
  std::atomic<std::uint64_t> written_bytes_{0};
  bool stopping_ GUARDED_BY(mutex_) = false;
  bool failed_ GUARDED_BY(mutex_) = false;
  std::size_t answers_due_ GUARDED_BY(mutex_) = 0;
  std::string short_lines_;  // of the thread, with their ends; has its memory from the beginning
  std::thread thread_;
};

}  // namespace mcph
