#include "transport/outbox.hpp"

#include <limits>
#include <new>
#include <optional>
#include <string>
#include <utility>

#include "base/json_document.hpp"
#include "protocol/message.hpp"

namespace mcph {
namespace {

// With the id of the answer, or, of a batch, with each id of its answers.
std::string in_place_of(std::string_view answer, const RpcError& error) {
  if (!answer.starts_with('[')) return error_response(id_of_response(answer), error);
  std::string errors;
  const auto batch = JsonDocument::read(answer, std::numeric_limits<std::size_t>::max());
  for (const auto each : batch->root().elements())
    errors.append(errors.empty() ? "[" : ",").append(error_response(each.find("id").text(), error));
  return errors + "]";
}

// In place of an answer that finds no room. Nothing where it would be no shorter.
std::optional<std::string> no_room_for(std::string_view answer, const MemoryBudget& budget) {
  const auto size = "this answer of " + std::to_string(answer.size()) + " bytes";
  const auto all = std::to_string(budget.limit()) + " bytes";
  auto error = in_place_of(
      answer,
      {error_code::internal_error,
       answer.size() > budget.limit()
           ? "The server has less memory than " + size + " needs: " + all + "; raise --max-buffered-bytes"
           : "The server has no memory left for " + size + ", because answers that clients are slow to read take all " +
                 "of its " + all + "; try again later, or raise --max-buffered-bytes"});
  if (error.size() >= answer.size()) return std::nullopt;
  return error;
}

}  // namespace

bool Outbox::put(std::string message) {
  MutexLock lock(mutex_);
  if (ended_ || is_left()) return false;
  const bool fits = messages_ < max_messages && bytes_ <= max_bytes;
  if (fits && (takes_share(message) || overdraws(message))) {
    add(std::move(message));
    const auto waiting = stop_waiting();
    lock.unlock();
    wake(waiting);
    return true;
  }
  ended_ = true;
  content_.overflow = fits ? Overflow::no_memory : Overflow::too_much;
  const auto reader = reader_.lock();
  const auto waiting = stop_waiting();
  lock.unlock();
  wake(waiting);
  if (reader != nullptr) reader->outbox_overflowed();
  return false;
}

void Outbox::put_answer(std::string message) {
  MutexLock lock(mutex_);
  if (ended_) return;
  if (!takes_share(message)) {
    lock.unlock();  // the answer may be long
    if (auto error = no_room_for(message, *budget_)) message = *std::move(error);
    lock.lock();
    if (ended_) return;
    answers_overdrawn_ = answers_overdrawn_ || !takes_share(message);
    content_.share.overdraw(budget_, bytes_with(message));
  }
  answer_bytes_ += message.size();
  content_.messages.push_back(std::move(message));
  const auto waiting = stop_waiting();
  lock.unlock();
  wake(waiting);
}

void Outbox::put_if_room(std::string message) {
  MutexLock lock(mutex_);
  const bool fits = !ended_ && !is_left() && messages_ < max_messages &&
                    bytes_ + message.size() <= max_bytes_for_optional && takes_share(message);
  if (!fits) return;
  add(std::move(message));
  const auto waiting = stop_waiting();
  lock.unlock();
  wake(waiting);
}

bool Outbox::is_left() const {
  const std::weak_ptr<OutboxReader> nobody;
  return reader_.expired() && (reader_.owner_before(nobody) || nobody.owner_before(reader_));
}

void Outbox::add(std::string message) {
  ++messages_;
  bytes_ += message.size();
  content_.messages.push_back(std::move(message));
}

bool Outbox::takes_share(std::string_view message) {
  return content_.share.grow(budget_, bytes_with(message));
}

// Once until the reader takes: whoever reads is not to be cut off because others have the memory.
bool Outbox::overdraws(std::string_view message) {
  if (message.size() > max_overdrawn_bytes) return false;
  if (std::exchange(overdrawn_, true)) return false;
  content_.share.overdraw(budget_, bytes_with(message));
  return true;
}

bool Outbox::has_room(std::size_t unwritten_bytes) const {
  const MutexLock lock(mutex_);
  return !answers_overdrawn_ && bytes_ + answer_bytes_ + unwritten_bytes <= max_bytes;
}

bool Outbox::has_reader() const {
  const MutexLock lock(mutex_);
  return !ended_ && !reader_.expired();
}

void Outbox::end(Reply reply) {
  auto kept = std::make_unique<Reply>(std::move(reply));
  MutexLock lock(mutex_);
  if (ended_) return;
  if (!takes_share(kept->body)) {
    lock.unlock();
    auto error = no_room_for(kept->body, *budget_);
    if (error) *kept = Reply{*std::move(error), ReplyStatus::unavailable};
    lock.lock();
    if (ended_) return;
  }
  ended_ = true;
  content_.reply = std::move(kept);
  const auto waiting = stop_waiting();
  lock.unlock();
  wake(waiting);
}

std::size_t Outbox::Content::bytes() const {
  std::size_t bytes = reply ? reply->body.size() : 0;
  for (const auto& message : messages)
    bytes += message.size();
  return bytes;
}

Outbox::Overflow Outbox::overflow() const {
  const MutexLock lock(mutex_);
  return content_.overflow;
}

Outbox::Content Outbox::take() {
  const MutexLock lock(mutex_);
  waited_for_ = content_.empty();
  messages_ = 0;
  bytes_ = 0;
  answer_bytes_ = 0;
  overdrawn_ = false;
  answers_overdrawn_ = false;
  return std::exchange(content_, {});
}

std::shared_ptr<OutboxReader> Outbox::stop_waiting() {
  return std::exchange(waited_for_, false) ? reader_.lock() : nullptr;
}

void Outbox::wake(const std::shared_ptr<OutboxReader>& reader) {
  try {
    if (reader != nullptr) reader->outbox_filled();
  } catch (const std::bad_alloc&) {
    // What has come is there, and nobody is to hand it in once more. The reader takes it with what comes next.
  }
}

void Outbox::read_by(std::weak_ptr<OutboxReader> reader) {
  const MutexLock lock(mutex_);
  reader_ = std::move(reader);
}

}  // namespace mcph
