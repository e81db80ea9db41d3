// Lets versions that are served no more come to their end: their calls have time to finish, are cancelled then, and
// answered in the plugin's stead if they do not heed that. At the end of the host it does so for all versions at once.
// Owned by who assembles the program. Whoever made a version drain attends to it; the rest is for any thread.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "base/mutex.hpp"
#include "plugin/plugin.hpp"
#include "telemetry/log.hpp"

namespace mcph {

class Drainer {
 public:
  using Time = std::chrono::steady_clock::time_point;

  struct Options {
    std::chrono::milliseconds drain_time{30'000};  // then the calls of a replaced version are cancelled
    std::chrono::milliseconds heed_time{2'000};    // then they are answered in its stead
    std::chrono::milliseconds farewell{1'000};     // for writing those answers, when the host ends
  };

  // The log outlives it.
  Drainer(Options options, Log& log) : options_(options), log_(log) {}

  // The version is served no more.
  void drain(const std::shared_ptr<Plugin>& plugin, Time now);
  // Does what is due. When more will be; nothing if none drains.
  std::optional<Time> attend(Time now);

  // Those whose calls still run.
  struct Draining {
    PluginIdentity identity;
    std::weak_ptr<Plugin> plugin;
  };
  std::vector<Draining> draining() const;

  using Plugins = std::vector<std::shared_ptr<Plugin>>;
  // The end of the host: waits for the calls of those that are served, and of those that drain, and until `quiet` says
  // that nothing else is under way; after `grace` cancels them, and answers what does not heed that. False: code of a
  // plugin in this process still runs.
  bool end_calls(const std::function<Plugins()>& served, std::chrono::milliseconds grace,
                 const std::function<bool()>& quiet);
  // [any] A call has ended, or something else that end_calls may wait for.
  void look_again();

 private:
  struct Version {
    std::weak_ptr<Plugin> plugin;
    PluginIdentity identity;
    Time due;  // of what is done about its calls next
    bool cancelled = false;
    bool given_up = false;
  };

  void hurry(const Version& version, Plugin& plugin) EXCLUDES(mutex_);
  Plugins with_draining(Plugins plugins) const;
  // Cancels the calls for as long as they may take to heed it, unless it is `over` sooner.
  bool cancel_until(const std::function<bool()>& over, const std::function<Plugins()>& plugins);
  // False: its code still runs in this process.
  bool cut_off(Plugin& plugin);
  bool wait_until(const std::function<bool()>& done, std::chrono::milliseconds patience);

  const Options options_;
  Log& log_;
  mutable Mutex mutex_;
  Condition changed_;
  std::atomic<bool> waits_{false};  // end_calls does
  bool woken_ GUARDED_BY(mutex_) = false;
  std::vector<Version> versions_ GUARDED_BY(mutex_);
};

}  // namespace mcph
