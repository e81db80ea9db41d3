#include "transport/outbox.hpp"

#include <string>
#include <utility>

#include "protocol/message.hpp"

namespace mcph {
namespace {

constexpr unsigned http_unavailable = 503;

Reply no_room_for(const Reply& reply, const MemoryBudget& budget) {
  return {.body = error_response(
              id_of_response(reply.body),
              {error_code::internal_error,
               "The server has no memory left for this answer of " + std::to_string(reply.body.size()) +
                   " bytes, because answers that clients are slow to read take all of its " +
                   std::to_string(budget.limit()) + " bytes; try again later, or raise --max-buffered-bytes"}),
          .status = http_unavailable,
          .fields = {{"Retry-After", "1"}}};
}

}  // namespace

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

bool Outbox::has_room(const std::string& message) {
  return content_.messages.size() < most_messages && bytes_ + message.size() <= most_bytes &&
         content_.share.grow(budget_, bytes_ + message.size());
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
  const bool has_room = content_.share.grow(budget_, bytes_ + reply.body.size());
  content_.reply = has_room ? std::move(reply) : no_room_for(reply, *budget_);
  wake(lock);
}

std::size_t Outbox::Content::bytes() const {
  std::size_t bytes = reply ? reply->body.size() : 0;
  for (const auto& message : messages)
    bytes += message.size();
  return bytes;
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
