// Waits until something may have changed in a set of folders. What it says is a hint and no truth: it may be silent
// about a change (network and overlay file systems) and speak without one, so whoever waits looks for itself, and looks
// now and then without a hint too. Owned by the control loop and used on its thread; only wake may be called from any
// thread.
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/mutex.hpp"

namespace mcph {

class FolderWatch {
 public:
  // The best that this system has; a PollingWatch if it has none.
  static std::unique_ptr<FolderWatch> create();

  FolderWatch() = default;
  FolderWatch(const FolderWatch&) = delete;
  FolderWatch& operator=(const FolderWatch&) = delete;
  virtual ~FolderWatch() = default;

  // The folders to watch from now on, not those below them; all others are forgotten. Call it after each look, with the
  // folders that were seen then: a folder that was replaced is recognised by this. One that does not exist is awaited.
  // A folder that was not watched before counts as changed, because it may have changed between the look and this call.
  virtual void watch(const std::vector<std::filesystem::path>& folders) = 0;

  // True as soon as something may have changed since the last call; false when the time is up or wake was called. All
  // that happened meanwhile is one hint. The time is at most a day.
  virtual bool wait(std::chrono::milliseconds timeout) = 0;

  // Lets so much time pass, whatever happens in the folders; wait tells of it afterwards. A wake ends this, too, and
  // the next wait. Not at all if the time is not positive.
  virtual void pause(std::chrono::milliseconds time) = 0;

  // Ends the wait that is going on, or else the next one.
  virtual void wake() = 0;

  // Why hints will be missing, and what to do about it; empty if all is well. May change with each watch.
  virtual std::string degraded_reason() const = 0;
};

// Gives no hints: used where the system has none to give, so that only the looks now and then find changes.
class PollingWatch final : public FolderWatch {
 public:
  explicit PollingWatch(std::string reason) : reason_(std::move(reason)) {}

  void watch(const std::vector<std::filesystem::path>&) override {}

  bool wait(std::chrono::milliseconds timeout) override {
    pause(timeout);
    const MutexLock lock(mutex_);
    wake_requested_ = false;
    return false;
  }

  void pause(std::chrono::milliseconds time) override {
    const auto end = std::chrono::steady_clock::now() + time;
    MutexLock lock(mutex_);
    while (!wake_requested_ && woken_.wait_until(lock, end)) {
    }
  }

  void wake() override {
    {
      const MutexLock lock(mutex_);
      wake_requested_ = true;
    }
    woken_.notify_one();
  }

  std::string degraded_reason() const override { return reason_; }

 private:
  const std::string reason_;
  Mutex mutex_;
  Condition woken_;
  bool wake_requested_ GUARDED_BY(mutex_) = false;
};

}  // namespace mcph
