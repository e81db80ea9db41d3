#include "sources/reaper.hpp"

#include <exception>
#include <utility>

#include "runtime/freed_memory.hpp"

namespace mcph {
Reaper::Reaper(std::chrono::milliseconds patience, Log& log)
    : patience_(patience), log_(log), thread_([this] { run(); }) {}

Reaper::~Reaper() {
  {
    const MutexLock lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

std::shared_ptr<Plugin> Reaper::lease(std::unique_ptr<Plugin> plugin) {
  {
    const MutexLock lock(mutex_);
    ++alive_;
  }
  return {plugin.release(), [this](Plugin* last) { retire(std::unique_ptr<Plugin>(last)); }};
}

bool Reaper::wait_until_empty(std::chrono::milliseconds patience) {
  const auto end = std::chrono::steady_clock::now() + patience;
  MutexLock lock(mutex_);
  while (alive_ > 0 && changed_.wait_until(lock, end)) {
  }
  return alive_ == 0 && left_ == 0;
}

void Reaper::wait_until_idle(std::chrono::milliseconds patience) {
  const auto end = std::chrono::steady_clock::now() + patience;
  MutexLock lock(mutex_);
  while ((!retired_.empty() || ending_ > 0) && changed_.wait_until(lock, end)) {
  }
}

void Reaper::retire(std::unique_ptr<Plugin> plugin) {
  {
    const MutexLock lock(mutex_);
    retired_.push_back(std::move(plugin));
  }
  changed_.notify_all();
}

void Reaper::run() {
  MutexLock lock(mutex_);
  for (;;) {
    join_ended();
    if (retired_.empty()) {
      if (stopping_ && endings_.empty()) return;
      changed_.wait(lock);
      continue;
    }
    auto& ending = endings_.emplace_back();
    ending.plugin = std::move(retired_.front());
    retired_.pop_front();
    ++ending_;
    try {
      ending.thread = std::thread([this, &ending] { end(ending); });
    } catch (const std::exception&) {
      // There is no thread or no memory to be had, perhaps because this very plugin has them: the others wait for its
      // end.
      lock.unlock();
      end(ending);
      lock.lock();
    }
  }
}

void Reaper::end(Ending& ending) {
  const bool stopped = stop(std::move(ending.plugin));
  const MutexLock lock(mutex_);
  if (!stopped) ++left_;
  --alive_;
  --ending_;
  ending.over = true;
  changed_.notify_all();
}

// A thread that is over no longer takes the lock.
void Reaper::join_ended() {
  std::erase_if(endings_, [](Ending& ending) {
    if (ending.over && ending.thread.joinable()) ending.thread.join();
    return ending.over;
  });
}

bool Reaper::stop(std::unique_ptr<Plugin> plugin) {
  const auto identity = plugin->identity();
  if (plugin->stop(patience_)) {
    plugin.reset();
    // A version is loaded on one thread and ends on another, after its successor was loaded, so that what it leaves
    // lies between what stays. malloc would keep those pages, more with each time that several versions happen to meet.
    return_freed_memory();
    log_.debug("plugin unloaded",
               {{"file", identity.file.string()}, {"version", identity.version}, {"digest", identity.digest}});
    return true;
  }
  // Its code may still run, so neither the object nor the library may go.
  [[maybe_unused]] const auto* left = plugin.release();
  log_.error("plugin does not stop", {{"file", identity.file.string()},
                                      {"version", identity.version},
                                      {"consequence", "it stays mapped until the host ends"}});
  return false;
}

}  // namespace mcph
