#include "transport/stdio/line_writer.hpp"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <new>
#include <poll.h>
#include <unistd.h>
#include <utility>

namespace mcph {
namespace {

// Short lines are written together, as long as they are no longer than this.
constexpr std::size_t max_batch_size = std::size_t{64} << 10;

}  // namespace

LineWriter::LineWriter(int descriptor, Limits limits, std::function<void(const Failure&)> on_failure)
    : descriptor_(descriptor), limits_(limits), on_failure_(std::move(on_failure)) {
  short_lines_.reserve(max_batch_size);
  thread_ = std::thread([this] {
    try {
      write_queued();
    } catch (const std::bad_alloc&) {
      fail({});  // there is no memory to say why
    }
  });
}

LineWriter::~LineWriter() {
  {
    const MutexLock lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  stop_.trigger();
  thread_.join();
}

bool LineWriter::send(std::string message) {
  MutexLock lock(mutex_);
  if (failed_) return false;
  if (const auto unread = notification_bytes_; unread > limits_.unread_bytes) {
    lock.unlock();
    fail({"the client has left " + std::to_string(unread) + " bytes of notifications unread"});
    return false;
  }
  queue(Kind::notification, std::move(message));
  lock.unlock();
  changed_.notify_all();
  return true;
}

void LineWriter::send_if_room(std::string message) {
  MutexLock lock(mutex_);
  if (failed_ || unread_bytes_ + message.size() > limits_.unread_bytes) return;
  queue(Kind::notification, std::move(message));
  lock.unlock();
  changed_.notify_all();
}

void LineWriter::queue(Kind kind, std::string message) {
  const auto size = message.size();
  queued_.push_back({kind, std::move(message)});
  unread_bytes_ += size;
  if (kind == Kind::notification) notification_bytes_ += size;
}

void LineWriter::expect_answer() {
  const MutexLock lock(mutex_);
  ++answers_due_;
}

void LineWriter::answer(std::string message) {
  MutexLock lock(mutex_);
  // First, because where there is no memory for it another answer comes in its place.
  if (!failed_ && !message.empty()) queue(Kind::answer, std::move(message));
  const bool was_last = --answers_due_ == 0;
  lock.unlock();
  changed_.notify_all();
  if (was_last && when_answered_) when_answered_();
}

std::size_t LineWriter::answers_due() const {
  const MutexLock lock(mutex_);
  return failed_ ? 0 : answers_due_;
}

bool LineWriter::has_room() const {
  const MutexLock lock(mutex_);
  return unread_bytes_ <= limits_.unread_bytes;
}

std::size_t LineWriter::unread_bytes() const {
  const MutexLock lock(mutex_);
  return unread_bytes_;
}

bool LineWriter::drain(std::chrono::milliseconds patience) {
  MutexLock lock(mutex_);
  return wait_until_drained(lock, patience);
}

bool LineWriter::wait_until_drained(MutexLock& lock, std::chrono::milliseconds patience) {
  const auto end = std::chrono::steady_clock::now() + patience;
  while (!is_drained() && changed_.wait_until(lock, end)) {
  }
  return is_drained();
}

bool LineWriter::drain_while_read(std::chrono::milliseconds patience) {
  MutexLock lock(mutex_);
  for (;;) {
    const auto before = written_bytes_.load();
    if (wait_until_drained(lock, patience)) return true;
    if (written_bytes_ - before < min_progress) return false;
  }
}

void LineWriter::write_queued() {
  MutexLock lock(mutex_);
  for (;;) {
    while (!stopping_ && !failed_ && queued_.empty())
      changed_.wait(lock);
    if (queued_.empty() || failed_) return;
    const auto batch = take_batch();
    lock.unlock();
    int error = write_all(batch.long_line.empty() ? short_lines_ : batch.long_line);
    if (error == 0 && !batch.long_line.empty()) error = write_all("\n");
    if (error == ECANCELED) return;
    if (error != 0) fail(failure_of(error));
    lock.lock();
    unread_bytes_ -= batch.bytes;
    notification_bytes_ -= batch.notification_bytes;
    changed_.notify_all();
  }
}

LineWriter::Batch LineWriter::take_batch() {
  Batch batch;
  short_lines_.clear();
  do {
    auto& [kind, text] = queued_.front();
    batch.bytes += text.size();
    if (kind == Kind::notification) batch.notification_bytes += text.size();
    if (text.size() >= max_batch_size) {
      batch.long_line = std::move(text);
    } else {
      short_lines_.append(text).append("\n");
    }
    queued_.pop_front();
  } while (batch.long_line.empty() && !queued_.empty() &&
           short_lines_.size() + queued_.front().text.size() < max_batch_size);
  return batch;
}

// In pieces that a pipe which has room takes whole (POSIX, PIPE_BUF), so that write never blocks.
int LineWriter::write_all(std::string_view text) {
  while (!text.empty()) {
    if (const int error = wait_for_client(); error != 0) return error;
    const auto count = ::write(descriptor_, text.data(), std::min<std::size_t>(text.size(), PIPE_BUF));
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (count < 0) return errno;
    text.remove_prefix(static_cast<std::size_t>(count));
    written_bytes_ += static_cast<std::uint64_t>(count);
  }
  return 0;
}

int LineWriter::wait_for_client() const {
  pollfd descriptors[2] = {{descriptor_, POLLOUT, 0}, {stop_.descriptor(), POLLIN, 0}};
  const auto deadline = std::chrono::steady_clock::now() + limits_.patience;
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    const int ready = ::poll(descriptors, 2, static_cast<int>(std::max<std::int64_t>(left.count(), 0)));
    if (ready < 0 && errno == EINTR) continue;
    if (ready < 0) return errno;
    if (ready == 0) return ETIMEDOUT;
    // An error of the descriptor is told by the write.
    return descriptors[0].revents != 0 ? 0 : ECANCELED;
  }
}

LineWriter::Failure LineWriter::failure_of(int error) const {
  if (error == ETIMEDOUT) {
    return {"the client has read nothing for " + std::to_string(limits_.patience.count() / 1000) + " s, with " +
            std::to_string(unread_bytes()) + " bytes on their way to it"};
  }
  return {std::string("writing failed: ") + std::strerror(error), error == EPIPE || error == ECONNRESET};
}

void LineWriter::fail(const Failure& failure) {
  {
    const MutexLock lock(mutex_);
    if (std::exchange(failed_, true)) return;
    queued_.clear();
  }
  stop_.trigger();
  changed_.notify_all();
  on_failure_(failure);
  if (when_answered_) when_answered_();
}

}  // namespace mcph
