// Where plugin versions end: when the last lease on one is gone, it is stopped and unloaded here, each on a thread of
// its own, so that nothing waits for a plugin that is slow to stop: no call, not the control thread, no other plugin.
// Owned by Host; made before the first plugin and destroyed after the last lease.
#pragma once

#include <chrono>
#include <list>
#include <memory>
#include <thread>

#include "base/mutex.hpp"
#include "plugin/plugin.hpp"
#include "telemetry/log.hpp"

namespace mcph {

class Reaper {
 public:
  // A plugin whose stop takes longer than `patience` is left as it is, for the life of the process, and reported.
  Reaper(std::chrono::milliseconds patience, Log& log);
  // Ends the plugins that have been retired.
  ~Reaper();
  Reaper(const Reaper&) = delete;
  Reaper& operator=(const Reaper&) = delete;

  // Shares a plugin: when the last copy of the pointer is gone, the plugin retires.
  std::shared_ptr<Plugin> lease(std::unique_ptr<Plugin> plugin);

  // Waits until every plugin that has been leased is gone; false if that took longer, or if one was left as it is.
  bool wait_until_empty(std::chrono::milliseconds patience);
  // Waits, at most so long, until every plugin is gone that nobody has a lease on.
  void wait_until_idle(std::chrono::milliseconds patience);

 private:
  struct Ending {
    std::unique_ptr<Plugin> plugin;
    std::thread thread;
    bool over = false;  // guarded by the mutex
  };

  void retire(std::list<Ending>& ending);
  void run();
  void end(Ending& ending) EXCLUDES(mutex_);
  void join_ended() REQUIRES(mutex_);
  // False: it was left as it is.
  bool stop(std::unique_ptr<Plugin>& plugin);

  const std::chrono::milliseconds patience_;
  Log& log_;
  Mutex mutex_;
  Condition changed_;
  std::list<Ending> retired_ GUARDED_BY(mutex_);
  std::list<Ending> endings_ GUARDED_BY(mutex_);
  std::size_t alive_ GUARDED_BY(mutex_) = 0;
  std::size_t ending_ GUARDED_BY(mutex_) = 0;
  std::size_t left_ GUARDED_BY(mutex_) = 0;
  bool stopping_ GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace mcph
