#include "plugin/isolated/store_queue.hpp"

#include <exception>
#include <new>

namespace mcph {
namespace {

StoreAnswer perform_safely(PluginStore& store, const StoreOperation& operation) {
  try {
    return store.perform(operation);
  } catch (const std::exception& error) {
    return {StoreStatus::failed, error.what()};
  }
}

}  // namespace

void StoreQueue::add(StoreOperation operation, Done done) {
  MutexLock lock(mutex_);
  if (waiting_.size() >= max_waiting) {
    lock.unlock();
    return done({StoreStatus::failed, "more than " + std::to_string(max_waiting) +
                                          " operations wait; wait for the answers of earlier ones"});
  }
  waiting_.push_back({std::move(operation), std::move(done)});
  if (waiting_.size() > 1) return;
  lock.unlock();
  run_next();
}

void StoreQueue::run_next() {
  // Here, where nobody else would: the worker waits for the answer, and the others wait for it.
  while (!run_next_elsewhere() && perform_next()) {
  }
}

bool StoreQueue::run_next_elsewhere() {
  try {
    return executor_.run_waiting([self = shared_from_this()] {
      if (self->perform_next()) self->run_next();
    });
  } catch (const std::bad_alloc&) {
    return false;
  }
}

bool StoreQueue::perform_next() {
  MutexLock lock(mutex_);
  const auto& next = waiting_.front();  // a deque keeps it where it is
  lock.unlock();
  try {
    next.done(perform_safely(*store_, next.operation));
  } catch (const std::bad_alloc&) {  // the others have theirs
  }
  lock.lock();
  waiting_.pop_front();
  return !waiting_.empty();
}

}  // namespace mcph
