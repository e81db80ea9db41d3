#include "runtime/timers.hpp"

namespace mcph {

Timers::~Timers() {
  stop();
}

void Timers::stop() {
  std::map<Id, std::function<void()>> dropped;
  {
    const MutexLock lock(mutex_);
    ending_ = true;
    dropped.swap(pending_);
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

Timers::Id Timers::after(std::chrono::milliseconds delay, std::function<void()> function) {
  const MutexLock lock(mutex_);
  const Id id{Clock::now() + delay, ++last_};
  if (ending_) return id;
  pending_.emplace(id, std::move(function));
  if (pending_.begin()->first == id) changed_.notify_all();
  return id;
}

void Timers::cancel(const Id& id) {
  std::function<void()> dropped;  // when the lock is gone, because it may own anything
  const MutexLock lock(mutex_);
  const auto found = pending_.find(id);
  if (found == pending_.end()) return;
  dropped = std::move(found->second);
  pending_.erase(found);
}

void Timers::wait_for_running() {
  MutexLock lock(mutex_);
  if (thread_.get_id() == std::this_thread::get_id()) return;
  while (running_)
    changed_.wait(lock);
}

void Timers::run() {
  MutexLock lock(mutex_);
  while (!ending_) {
    if (pending_.empty()) {
      changed_.wait(lock);
    } else if (const auto next = pending_.begin(); next->first.first > Clock::now()) {
      const auto due = next->first.first;  // a copy, because the timer may be cancelled while it is waited for
      changed_.wait_until(lock, due);
    } else {
      auto function = std::move(next->second);
      pending_.erase(next);
      running_ = true;
      lock.unlock();
      try {
        function();
      } catch (...) {
        // Out of memory, most likely. What was to happen does not happen, and nobody waits to be told.
      }
      function = nullptr;
      lock.lock();
      running_ = false;
      changed_.notify_all();
    }
  }
}

}  // namespace mcph
