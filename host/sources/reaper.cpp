#include "sources/reaper.hpp"

#include <exception>
#include <new>
#include <thread>
#include <utility>

#include "runtime/freed_memory.hpp"

namespace mcph {
namespace {

// Until it is tried again.
constexpr std::chrono::milliseconds pause_until_stopped_again{100};

}  // namespace

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
  // Made now, because at the end of the last lease nobody can be told that there is no memory.
  const auto ending = std::make_shared<std::list<Ending>>(1U);
  {
    const MutexLock lock(mutex_);
    ++alive_;
  }
  return {plugin.release(), [this, ending](Plugin* last) {
            ending->front().plugin.reset(last);
            retire(*ending);
          }};
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

void Reaper::retire(std::list<Ending>& ending) {
  {
    const MutexLock lock(mutex_);
    retired_.splice(retired_.end(), ending);
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
    endings_.splice(endings_.end(), retired_, retired_.begin());
    auto& ending = endings_.back();
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
  bool stopped = true;
  while (ending.plugin != nullptr) {
    try {
      stopped = stop(ending.plugin);
    } catch (const std::bad_alloc&) {
      std::this_thread::sleep_for(pause_until_stopped_again);
    }
  }
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

bool Reaper::stop(std::unique_ptr<Plugin>& plugin) {
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
  log_.error("plugin does not stop", {{"file", identity.file.string()},
                                      {"version", identity.version},
                                      {"consequence", "it stays mapped until the host ends"}});
  // Its code may still run, so neither the object nor the library may go.
  [[maybe_unused]] const auto* left = plugin.release();
  return false;
}

}  // namespace mcph
