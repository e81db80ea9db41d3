#include "transport/line_writer.hpp"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <poll.h>
#include <unistd.h>
#include <utility>

namespace mcph {

LineWriter::LineWriter(int descriptor, std::function<void(std::string)> on_failure)
    : descriptor_(descriptor), on_failure_(std::move(on_failure)) {
  thread_ = std::thread([this] { write_queued(); });
}

LineWriter::~LineWriter() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  stop_.trigger();
  thread_.join();
}

bool LineWriter::send(std::string message) {
  std::unique_lock lock(mutex_);
  if (failed_) return false;
  if (!fits(message)) {
    fail(lock, "the client has left " + std::to_string(queued_.size()) + " bytes unread");
    return false;
  }
  queue(lock, message);
  return true;
}

void LineWriter::send_if_room(const std::string& message) {
  std::unique_lock lock(mutex_);
  if (!failed_ && fits(message)) queue(lock, message);
}

void LineWriter::queue(std::unique_lock<std::mutex>& lock, const std::string& message) {
  queued_.append(message).append("\n");
  lock.unlock();
  changed_.notify_all();
}

void LineWriter::expect_answer() {
  const std::lock_guard lock(mutex_);
  ++answers_due_;
}

void LineWriter::answer(std::string message) {
  // Counted after it is queued, so that drain never sees the one without the other.
  if (!message.empty()) send(std::move(message));
  {
    const std::lock_guard lock(mutex_);
    --answers_due_;
  }
  changed_.notify_all();
}

std::size_t LineWriter::answers_due() const {
  const std::lock_guard lock(mutex_);
  return answers_due_;
}

bool LineWriter::drain(std::chrono::milliseconds patience) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, patience,
                           [this] { return failed_ || (answers_due_ == 0 && queued_.empty() && !writing_); });
}

void LineWriter::write_queued() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return stopping_ || failed_ || !queued_.empty(); });
    if (queued_.empty() || failed_) return;
    const auto text = std::exchange(queued_, {});
    writing_ = true;
    lock.unlock();
    const int error = write_all(text);
    lock.lock();
    writing_ = false;
    if (error == ECANCELED) return;
    if (error != 0) fail(lock, std::string("writing failed: ") + std::strerror(error));
    changed_.notify_all();
  }
}

// In pieces that a pipe which has room takes whole (POSIX, PIPE_BUF), so that write never blocks.
int LineWriter::write_all(std::string_view text) const {
  while (!text.empty()) {
    if (!wait_for_room()) return ECANCELED;
    const auto count = ::write(descriptor_, text.data(), std::min<std::size_t>(text.size(), PIPE_BUF));
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (count < 0) return errno;
    text.remove_prefix(static_cast<std::size_t>(count));
  }
  return 0;
}

bool LineWriter::wait_for_room() const {
  pollfd descriptors[2] = {{descriptor_, POLLOUT, 0}, {stop_.descriptor(), POLLIN, 0}};
  for (;;) {
    const int ready = ::poll(descriptors, 2, -1);
    if (ready < 0 && errno == EINTR) continue;
    // An error of the descriptor is told by the write.
    return ready > 0 && descriptors[0].revents != 0;
  }
}

void LineWriter::fail(std::unique_lock<std::mutex>& lock, std::string reason) {
  if (std::exchange(failed_, true)) return;
  queued_.clear();
  lock.unlock();
  stop_.trigger();
  changed_.notify_all();
  on_failure_(std::move(reason));
  lock.lock();
}

}  // namespace mcph
