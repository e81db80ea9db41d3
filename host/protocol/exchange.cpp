#include "protocol/exchange.hpp"

#include <new>

#include "protocol/request_record.hpp"

namespace mcph {
namespace {

CallEnd::Outcome outcome_of(const Reply& reply) {
  if (reply.error_code != 0) return CallEnd::Outcome::error;
  if (reply.is_tool_error) return CallEnd::Outcome::tool_error;
  return reply.body.empty() ? CallEnd::Outcome::abandoned : CallEnd::Outcome::result;
}

}  // namespace

void Exchange::notify(std::string message) {
  const MutexLock lock(mutex_);
  if (!ended_) send(std::move(message));
}

void Exchange::notify_if_room(std::string message) {
  const MutexLock lock(mutex_);
  if (!ended_) send_if_room(std::move(message));
}

void Exchange::reply(Reply reply, const std::function<void()>& sent) {
  // Before the end, because it takes memory.
  std::function<void(Reply)> when_recorded;
  if (record_ != nullptr) {
    when_recorded = [self = shared_from_this(), sent](Reply recorded) { self->deliver(std::move(recorded), sent); };
  }
  // Let go of when the lock is gone.
  std::function<void()> listener;
  RequestsInFlight::Place place;
  std::vector<std::shared_ptr<const void>> counted;
  std::shared_ptr<const void> memory;
  MutexLock lock(mutex_);
  if (ended_) return;
  ended_ = true;
  listener = std::move(listener_);
  place = std::move(place_);
  counted = std::move(counted_);
  memory = std::move(memory_);
  tell_end(outcome_of(reply), reply.error_code, reply.body);
  lock.unlock();
  // Before the client can know of its answer, and ask again; and what its message took is there for its answer.
  place = {};
  counted.clear();
  memory.reset();
  if (record_ == nullptr) return deliver(std::move(reply), sent);
  try {
    record_->end(std::move(reply), when_recorded);
  } catch (const std::bad_alloc&) {
    const MutexLock again(mutex_);
    ended_ = is_finished_;
    throw;
  }
}

void Exchange::deliver(Reply reply, const std::function<void()>& sent) {
  {
    const MutexLock lock(mutex_);
    // After a reply that found no memory comes another one, and its client may have gone in between.
    if (is_finished_ || abandoned_) return;
    // Where it throws for lack of memory, another reply may come.
    ended_ = false;
    finish(std::move(reply));
    is_finished_ = true;
    ended_ = true;
  }
  if (sent) sent();
}

void Exchange::abandon() {
  std::function<void()> listener;
  RequestsInFlight::Place place;
  std::vector<std::shared_ptr<const void>> counted;
  std::shared_ptr<const void> memory;
  {
    const MutexLock lock(mutex_);
    if (ended_) return;
    ended_ = true;
    abandoned_ = true;
    listener = std::move(listener_);
    place = std::move(place_);
    counted = std::move(counted_);
    memory = std::move(memory_);
    tell_end(CallEnd::Outcome::abandoned, 0, {});
    finish({.body = {}, .status = ReplyStatus::accepted});
  }
  if (record_ != nullptr) record_->abandoned();
  if (listener) listener();
}

void Exchange::on_abandon(std::function<void()> listener) {
  {
    const MutexLock lock(mutex_);
    if (!ended_) listener_.swap(listener);
    if (!abandoned_) return;  // and lets go of the one before when the lock is gone
  }
  listener();
}

bool Exchange::is_awaited() {
  const MutexLock lock(mutex_);
  return !ended_ && has_reader();
}

void Exchange::observe(CallObserver& observer, ObservedCall call) {
  std::unique_ptr<Observed> observed(new Observed{observer, std::move(call)});
  const MutexLock lock(mutex_);
  if (!ended_) observed_ = std::move(observed);
}

void Exchange::note_caller(std::shared_ptr<const Caller> caller) {
  const MutexLock lock(mutex_);
  if (observed_ != nullptr) observed_->call.caller = std::move(caller);
}

void Exchange::note_served(std::string_view plugin) {
  const MutexLock lock(mutex_);
  if (observed_ == nullptr) return;
  observed_->call.is_served = true;
  observed_->call.plugin = plugin;
}

std::shared_ptr<const TraceSpan> Exchange::span() {
  const MutexLock lock(mutex_);
  return observed_ == nullptr ? nullptr : observed_->call.span;
}

void Exchange::tell_end(CallEnd::Outcome outcome, int error_code, std::string_view answer) {
  const auto observed = std::move(observed_);
  if (observed == nullptr) return;
  try {
    observed->observer.ended({observed->call, outcome, error_code, std::chrono::steady_clock::now() - began_, answer});
  } catch (const std::bad_alloc&) {
    // The answer matters more than who observes it.
  }
}

void Exchange::hold_place(RequestsInFlight::Place place) {
  const MutexLock lock(mutex_);
  if (!ended_) place_ = std::move(place);
}

void Exchange::hold_places(std::vector<std::shared_ptr<const void>> places) {
  const MutexLock lock(mutex_);
  if (!ended_) counted_ = std::move(places);
}

std::shared_ptr<const void> Exchange::hold_memory(std::shared_ptr<const void> share) {
  const MutexLock lock(mutex_);
  if (!ended_) memory_.swap(share);
  return share;
}

}  // namespace mcph
