// A mutex, its lock and its condition variable that clang checks: std::mutex and the like, with the attributes of
// clang's thread safety analysis (https://clang.llvm.org/docs/ThreadSafetyAnalysis.html), which the tidy preset makes
// errors of. A member says by GUARDED_BY which mutex it needs, a function by REQUIRES that its caller holds it. To
// other compilers the attributes are nothing. What they cost is what std::mutex costs.
//
// The analysis does not look into who calls a lambda. A wait is therefore a loop in the function that has the lock,
//   while (!is_done_) changed_.wait(lock);
// and a lambda that runs under the lock says so itself: [this]() REQUIRES(mutex_) { ... }.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

#if defined(__clang__)
#define MCPH_ATTRIBUTE(attribute) __attribute__((attribute))
#else
#define MCPH_ATTRIBUTE(attribute)
#endif

// Of a class: what is locked, and what holds a lock as long as it lives.
#define CAPABILITY(name) MCPH_ATTRIBUTE(capability(name))
#define SCOPED_CAPABILITY MCPH_ATTRIBUTE(scoped_lockable)
// Of a member: it is used under this mutex only.
#define GUARDED_BY(mutex) MCPH_ATTRIBUTE(guarded_by(mutex))
// Of a mutex: it is locked before these.
#define ACQUIRED_BEFORE(...) MCPH_ATTRIBUTE(acquired_before(__VA_ARGS__))
// Of a function: its caller holds the mutex; its caller does not; it locks it, or unlocks it.
#define REQUIRES(...) MCPH_ATTRIBUTE(requires_capability(__VA_ARGS__))
#define EXCLUDES(...) MCPH_ATTRIBUTE(locks_excluded(__VA_ARGS__))
#define ACQUIRE(...) MCPH_ATTRIBUTE(acquire_capability(__VA_ARGS__))
#define TRY_ACQUIRE(...) MCPH_ATTRIBUTE(try_acquire_capability(__VA_ARGS__))
#define RELEASE(...) MCPH_ATTRIBUTE(release_capability(__VA_ARGS__))
// Of a function: it is not looked at. With a comment that says why.
#define NO_THREAD_SAFETY_ANALYSIS MCPH_ATTRIBUTE(no_thread_safety_analysis)

namespace mcph {

class CAPABILITY("mutex") Mutex {
 public:
  void lock() ACQUIRE() { mutex_.lock(); }
  void unlock() RELEASE() { mutex_.unlock(); }
  [[nodiscard]] bool try_lock() TRY_ACQUIRE(true) { return mutex_.try_lock(); }

 private:
  friend class MutexLock;
  std::mutex mutex_;
};

// Holds a mutex as long as it lives, but between unlock and lock. Lives on a stack, in one thread.
class SCOPED_CAPABILITY MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) ACQUIRE(mutex) : lock_(mutex.mutex_) {}
  // Of a mutex that the caller has locked, by try_lock.
  MutexLock(Mutex& mutex, std::adopt_lock_t adopt) REQUIRES(mutex) : lock_(mutex.mutex_, adopt) {}
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;
  ~MutexLock() RELEASE() = default;

  void lock() ACQUIRE() { lock_.lock(); }
  void unlock() RELEASE() { lock_.unlock(); }

 private:
  friend class Condition;
  std::unique_lock<std::mutex> lock_;
};

// What threads that hold a lock wait for. The lock is free meanwhile, and held again when a wait returns, which may be
// without cause.
class Condition {
 public:
  void wait(MutexLock& lock) { condition_.wait(lock.lock_); }
  // False once it is so late.
  template <class Clock, class Duration>
  bool wait_until(MutexLock& lock, const std::chrono::time_point<Clock, Duration>& time) {
    return condition_.wait_until(lock.lock_, time) == std::cv_status::no_timeout;
  }
  template <class Rep, class Period>
  bool wait_for(MutexLock& lock, const std::chrono::duration<Rep, Period>& time) {
    return condition_.wait_for(lock.lock_, time) == std::cv_status::no_timeout;
  }

  void notify_one() noexcept { condition_.notify_one(); }
  void notify_all() noexcept { condition_.notify_all(); }

 private:
  std::condition_variable condition_;
};

}  // namespace mcph
