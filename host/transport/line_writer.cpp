#include "transport/line_writer.hpp"

#include <cerrno>
#include <cstring>
#include <unistd.h>
#include <utility>

namespace mcph {

LineWriter::LineWriter(int descriptor, std::function<void(std::string)> on_failure)
    : descriptor_(descriptor), on_failure_(std::move(on_failure)), thread_([this] { write_queued(); }) {}

LineWriter::~LineWriter() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

bool LineWriter::send(std::string message) {
  std::unique_lock lock(mutex_);
  if (failed_) return false;
  if (queued_.size() + message.size() > most_unread_bytes) {
    fail(lock, "the client has left " + std::to_string(queued_.size()) + " bytes unread");
    return false;
  }
  queued_.append(message).append("\n");
  lock.unlock();
  changed_.notify_all();
  return true;
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
    changed_.wait(lock, [this] { return stopping_ || (!queued_.empty() && !failed_); });
    if (queued_.empty() || failed_) return;
    const auto text = std::exchange(queued_, {});
    writing_ = true;
    lock.unlock();
    const bool written = write_all(text);
    lock.lock();
    writing_ = false;
    if (!written) fail(lock, std::string("writing failed: ") + std::strerror(errno));
    changed_.notify_all();
  }
}

bool LineWriter::write_all(std::string_view text) {
  while (!text.empty()) {
    const auto count = ::write(descriptor_, text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

void LineWriter::fail(std::unique_lock<std::mutex>& lock, std::string reason) {
  if (std::exchange(failed_, true)) return;
  queued_.clear();
  lock.unlock();
  changed_.notify_all();
  on_failure_(std::move(reason));
  lock.lock();
}

}  // namespace mcph
