// A mutex, its lock and its condition variable that clang checks: those of the standard library with the attributes of
// clang's thread safety analysis (https://clang.llvm.org/docs/ThreadSafetyAnalysis.html). Of the host's base/mutex.hpp
// it is what the runtime needs, because that is compiled where no host is.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

#if defined(__clang__)
#define MCP_ATTRIBUTE(attribute) __attribute__((attribute))
#else
#define MCP_ATTRIBUTE(attribute)
#endif

#define CAPABILITY(name) MCP_ATTRIBUTE(capability(name))
#define SCOPED_CAPABILITY MCP_ATTRIBUTE(scoped_lockable)
#define GUARDED_BY(mutex) MCP_ATTRIBUTE(guarded_by(mutex))
#define ACQUIRE(...) MCP_ATTRIBUTE(acquire_capability(__VA_ARGS__))
#define RELEASE(...) MCP_ATTRIBUTE(release_capability(__VA_ARGS__))

namespace mcp::detail {

class CAPABILITY("mutex") Mutex {
 private:
  friend class MutexLock;
  std::mutex mutex_;
};

/// Holds a mutex as long as it lives.
class SCOPED_CAPABILITY MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) ACQUIRE(mutex) : lock_(mutex.mutex_) {}
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;
  ~MutexLock() RELEASE() = default;

 private:
  friend class Condition;
  std::unique_lock<std::mutex> lock_;
};

/// The analysis does not look into predicates, so a wait is in a loop.
class Condition {
 public:
  /// False once it is so late.
  bool wait_until(MutexLock& lock, std::chrono::steady_clock::time_point time) {
    return condition_.wait_until(lock.lock_, time) == std::cv_status::no_timeout;
  }
  void notify_all() noexcept { condition_.notify_all(); }

 private:
  std::condition_variable condition_;
};

}  // namespace mcp::detail
