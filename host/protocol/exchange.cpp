#include "protocol/exchange.hpp"

#include "protocol/request_record.hpp"

namespace mcph {

void Exchange::notify(std::string message) {
  const MutexLock lock(mutex_);
  if (!ended_) send(std::move(message));
}

void Exchange::notify_if_room(std::string message) {
  const MutexLock lock(mutex_);
  if (!ended_) send_if_room(std::move(message));
}

void Exchange::reply(Reply reply) {
  // Let go of when the lock is gone.
  std::function<void()> listener;
  RequestsInFlight::Place place;
  std::vector<std::shared_ptr<const void>> counted;
  MutexLock lock(mutex_);
  if (ended_) return;
  ended_ = true;
  listener = std::move(listener_);
  place = std::move(place_);
  counted = std::move(counted_);
  if (record_ == nullptr) return finish(std::move(reply));
  lock.unlock();
  record_->end(std::move(reply), [self = shared_from_this()](Reply recorded) {
    const MutexLock relock(self->mutex_);
    self->finish(std::move(recorded));
  });
}

void Exchange::abandon() {
  std::function<void()> listener;
  RequestsInFlight::Place place;
  std::vector<std::shared_ptr<const void>> counted;
  {
    const MutexLock lock(mutex_);
    if (ended_) return;
    ended_ = true;
    abandoned_ = true;
    listener = std::move(listener_);
    place = std::move(place_);
    counted = std::move(counted_);
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

void Exchange::keep(RequestsInFlight::Place place) {
  const MutexLock lock(mutex_);
  if (!ended_) place_ = std::move(place);
}

void Exchange::keep(std::vector<std::shared_ptr<const void>> places) {
  const MutexLock lock(mutex_);
  if (!ended_) counted_ = std::move(places);
}

}  // namespace mcph
