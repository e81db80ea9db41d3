// A mutex, its lock and its condition variable that clang checks: those of the standard library with the attributes of
// clang's thread safety analysis (https://clang.llvm.org/docs/ThreadSafetyAnalysis.html). A plugin of one's own may use
// the standard library's as well.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <shared_mutex>

#if defined(__clang__)
#define PLUGINS_ATTRIBUTE(attribute) __attribute__((attribute))
#else
#define PLUGINS_ATTRIBUTE(attribute)
#endif

#define CAPABILITY(name) PLUGINS_ATTRIBUTE(capability(name))
#define SCOPED_CAPABILITY PLUGINS_ATTRIBUTE(scoped_lockable)
#define GUARDED_BY(mutex) PLUGINS_ATTRIBUTE(guarded_by(mutex))
#define REQUIRES(...) PLUGINS_ATTRIBUTE(requires_capability(__VA_ARGS__))
#define ACQUIRE_SHARED(...) PLUGINS_ATTRIBUTE(acquire_shared_capability(__VA_ARGS__))
#define ACQUIRE(...) PLUGINS_ATTRIBUTE(acquire_capability(__VA_ARGS__))
#define RELEASE(...) PLUGINS_ATTRIBUTE(release_capability(__VA_ARGS__))

namespace plugins {

class CAPABILITY("mutex") Mutex {
 private:
  friend class MutexLock;
  std::mutex mutex_;
};

// Holds a mutex as long as it lives, but between unlock and lock.
class SCOPED_CAPABILITY MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) ACQUIRE(mutex) : lock_(mutex.mutex_) {}
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;
  ~MutexLock() RELEASE() = default;

  void lock() ACQUIRE() { lock_.lock(); }
  void unlock() RELEASE() { lock_.unlock(); }

 private:
  friend class Condition;
  std::unique_lock<std::mutex> lock_;
};

class CAPABILITY("mutex") SharedMutex {
 private:
  friend class SharedLock;
  friend class ExclusiveLock;
  std::shared_mutex mutex_;
};

// Holds it with others, or alone, as long as it lives.
class SCOPED_CAPABILITY SharedLock {
 public:
  explicit SharedLock(SharedMutex& mutex) ACQUIRE_SHARED(mutex) : lock_(mutex.mutex_) {}
  SharedLock(const SharedLock&) = delete;
  SharedLock& operator=(const SharedLock&) = delete;
  ~SharedLock() RELEASE() = default;

 private:
  std::shared_lock<std::shared_mutex> lock_;
};
class SCOPED_CAPABILITY ExclusiveLock {
 public:
  explicit ExclusiveLock(SharedMutex& mutex) ACQUIRE(mutex) : lock_(mutex.mutex_) {}
  ExclusiveLock(const ExclusiveLock&) = delete;
  ExclusiveLock& operator=(const ExclusiveLock&) = delete;
  ~ExclusiveLock() RELEASE() = default;

 private:
  std::unique_lock<std::shared_mutex> lock_;
};

// The analysis does not look into predicates, so a wait is in a loop.
class Condition {
 public:
  // False once it is so late.
  bool wait_until(MutexLock& lock, std::chrono::steady_clock::time_point time) {
    return condition_.wait_until(lock.lock_, time) == std::cv_status::no_timeout;
  }
  void notify_all() noexcept { condition_.notify_all(); }

 private:
  std::condition_variable condition_;
};

}  // namespace plugins
