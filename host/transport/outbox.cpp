#include "transport/outbox.hpp"

#include <utility>

namespace mcph {

bool Outbox::put(std::string message) {
  std::unique_lock lock(mutex_);
  if (ended_) return false;
  if (has_room(message)) {
    add(lock, std::move(message));
    return true;
  }
  ended_ = true;
  content_.overflowed = true;
  const auto reader = reader_.lock();
  wake(lock);
  if (reader != nullptr) reader->outbox_overflowed();
  return false;
}

void Outbox::put_if_room(std::string message) {
  std::unique_lock lock(mutex_);
  if (!ended_ && has_room(message)) add(lock, std::move(message));
}

bool Outbox::has_room(const std::string& message) const {
  return content_.messages.size() < most_messages && bytes_ + message.size() <= most_bytes;
}

void Outbox::add(std::unique_lock<std::mutex>& lock, std::string message) {
  bytes_ += message.size();
  content_.messages.push_back(std::move(message));
  wake(lock);
}

void Outbox::end(Reply reply) {
  std::unique_lock lock(mutex_);
  if (ended_) return;
  ended_ = true;
  content_.reply = std::move(reply);
  wake(lock);
}

bool Outbox::has_overflowed() const {
  const std::lock_guard lock(mutex_);
  return content_.overflowed;
}

Outbox::Content Outbox::take() {
  const std::lock_guard lock(mutex_);
  waited_for_ = content_.empty();
  bytes_ = 0;
  return std::exchange(content_, {});
}

void Outbox::wake(std::unique_lock<std::mutex>& lock) {
  if (!std::exchange(waited_for_, false)) return lock.unlock();
  const auto reader = reader_.lock();
  lock.unlock();
  if (reader != nullptr) reader->outbox_filled();
}

void Outbox::read_by(std::weak_ptr<OutboxReader> reader) {
  const std::lock_guard lock(mutex_);
  reader_ = std::move(reader);
}

}  // namespace mcph
