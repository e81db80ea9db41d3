#include "sources/folder/load_threads.hpp"

#include <algorithm>
#include <exception>
#include <utility>

namespace mcph {

LoadThreads::~LoadThreads() {
  stop(std::chrono::hours(1));
  starter_.join();
}

void LoadThreads::run(std::function<void()> task) {
  {
    const MutexLock lock(mutex_);
    if (stopping_) return;
    waiting_.push_back(std::move(task));
  }
  changed_.notify_all();
}

bool LoadThreads::stop(std::chrono::milliseconds patience) {
  const auto end = Clock::now() + patience;
  MutexLock lock(mutex_);
  stopping_ = true;
  waiting_.clear();
  changed_.notify_all();
  while ((!running_.empty() || runs_here_) && changed_.wait_until(lock, end)) {
  }
  return running_.empty() && !runs_here_;
}

void LoadThreads::start_when_due() {
  MutexLock lock(mutex_);
  for (;;) {
    join_ended();
    if (stopping_ && running_.empty()) return changed_.notify_all();
    if (waiting_.empty()) {
      changed_.wait(lock);
    } else if (!may_start(Clock::now())) {
      changed_.wait_for(lock, options_.long_time);
    } else if (!start_next()) {
      // Without a thread one after the other is better than none.
      auto task = take_next();
      runs_here_ = true;
      lock.unlock();
      task();
      task = nullptr;
      lock.lock();
      runs_here_ = false;
      changed_.notify_all();
    }
  }
}

bool LoadThreads::may_start(Clock::time_point now) const {
  const auto young = std::count_if(running_.begin(), running_.end(), [&](const Running& each) {
    return !each.over && now - each.since < options_.long_time;
  });
  return static_cast<std::size_t>(young) < options_.at_once && running_.size() < options_.max_running;
}

bool LoadThreads::start_next() {
  std::list<Running> next;  // apart, so that nothing is left of one that cannot be started
  try {
    auto& running = next.emplace_back(Running{Clock::now()});
    running.thread =
        std::thread([this, &running, task = waiting_.front()]() mutable { run_tasks(running, std::move(task)); });
  } catch (const std::exception&) {
    return false;
  }
  running_.splice(running_.end(), next);
  waiting_.pop_front();
  return true;
}

void LoadThreads::run_tasks(Running& running, std::function<void()> task) {
  for (;;) {
    task();
    task = nullptr;
    const MutexLock lock(mutex_);
    running.over = true;
    const auto now = Clock::now();
    if (waiting_.empty() || !may_start(now)) return changed_.notify_all();
    task = take_next();
    running.since = now;
    running.over = false;
  }
}

std::function<void()> LoadThreads::take_next() {
  auto task = std::move(waiting_.front());
  waiting_.pop_front();
  return task;
}

// Their threads take the lock no more.
void LoadThreads::join_ended() {
  std::erase_if(running_, [](Running& each) {
    if (each.over && each.thread.joinable()) each.thread.join();
    return each.over;
  });
}

}  // namespace mcph
