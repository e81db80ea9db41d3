#include "runtime/watchdog.hpp"

#include <chrono>
#include <exception>

namespace mcph {
namespace {

constexpr std::chrono::milliseconds tick{1};
// Without a task for so many ticks it sleeps until there is one again.
constexpr int idle_ticks = 32;

}  // namespace

Watchdog::~Watchdog() {
  std::thread thread;
  {
    const MutexLock lock(mutex_);
    stopping_ = true;
    thread.swap(thread_);
  }
  changed_.notify_one();
  if (thread.joinable()) thread.join();
}

void Watchdog::wake() {
  const MutexLock lock(mutex_);
  if (stopping_) return;
  if (thread_.joinable()) return changed_.notify_one();
  try {
    thread_ = std::thread([this] { watch(); });
  } catch (const std::exception&) {
    asleep_.store(true);  // the next task asks again
  }
}

void Watchdog::watch() {
  int quiet = idle_ticks;  // ticks since a task was seen to begin
  MutexLock lock(mutex_);
  while (!stopping_) {
    if (quiet < idle_ticks) {
      const auto next = std::chrono::steady_clock::now() + tick;
      while (!stopping_ && changed_.wait_until(lock, next)) {
      }
    } else {
      asleep_.store(true);
      // A task that began just before the store did not wake; it is seen here.
      while (!stopping_ && asleep_.load() && !began_.load())
        changed_.wait(lock);
      asleep_.store(false);
    }
    const bool began = began_.exchange(false, std::memory_order_relaxed);
    lock.unlock();
    const bool busy = look_();
    lock.lock();
    quiet = began || busy ? 0 : quiet + 1;
  }
}

}  // namespace mcph
