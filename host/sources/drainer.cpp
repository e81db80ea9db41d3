#include "sources/drainer.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace mcph {
namespace {

std::size_t calls_of(const Drainer::Plugins& plugins) {
  return std::transform_reduce(plugins.begin(), plugins.end(), std::size_t{0}, std::plus<>(),
                               [](const auto& plugin) { return plugin->calls_in_flight(); });
}

}  // namespace

void Drainer::drain(const std::shared_ptr<Plugin>& plugin, Time now) {
  if (plugin == nullptr) return;
  const MutexLock lock(mutex_);
  versions_.push_back({plugin, plugin->identity(), now + options_.drain_time});
}

std::optional<Drainer::Time> Drainer::attend(Time now) {
  std::vector<std::pair<std::shared_ptr<Plugin>, Version>> to_hurry;
  std::optional<Time> next;
  {
    const MutexLock lock(mutex_);
    std::erase_if(versions_, [](const Version& each) { return each.plugin.expired(); });
    for (auto& each : versions_) {
      if (each.given_up) continue;
      if (now >= each.due) {
        if (auto plugin = each.plugin.lock()) to_hurry.emplace_back(std::move(plugin), each);
        each.given_up = std::exchange(each.cancelled, true);
        each.due = now + options_.heed_time;
      }
      if (!each.given_up) next = std::min(next.value_or(each.due), each.due);
    }
  }
  for (auto& [plugin, version] : to_hurry)
    hurry(version, *plugin);
  return next;
}

// Without the lock, because calls end in it.
void Drainer::hurry(const Version& version, Plugin& plugin) {
  const auto say = [&](Log::Level level, std::string_view event, std::size_t calls, std::string_view reason) {
    log_.write(level, event,
               {{"file", version.identity.file.string()},
                {"version", version.identity.version},
                {"calls", calls},
                {"reason", reason}});
  };
  if (!version.cancelled) {
    // Without calls somebody else still holds it, who describes it, say.
    if (const auto calls = plugin.calls_in_flight(); calls > 0) {
      say(Log::Level::warning, "calls cancelled", calls,
          "they did not finish in time after the plugin was replaced or removed");
    }
    return plugin.cancel_all(CancelReason::reload);
  }
  const auto calls = plugin.fail_all("the call was cut off, because the plugin was replaced or removed");
  if (calls > 0) say(Log::Level::error, "calls cut off", calls, "they did not end when they were cancelled");
}

std::vector<Drainer::Draining> Drainer::draining() const {
  std::vector<Draining> all;
  const MutexLock lock(mutex_);
  for (const auto& each : versions_)
    all.push_back({each.identity, each.plugin});
  return all;
}

Drainer::Plugins Drainer::with_draining(Plugins plugins) const {
  for (const auto& each : draining()) {
    auto plugin = each.plugin.lock();
    if (plugin != nullptr && std::ranges::find(plugins, plugin) == plugins.end()) plugins.push_back(std::move(plugin));
  }
  return plugins;
}

// Asked for anew each time, because a version may come to be served as long as something is under way.
bool Drainer::end_calls(const std::function<Plugins()>& served, std::chrono::milliseconds grace,
                        const std::function<bool()>& quiet) {
  const auto all = [&] { return with_draining(served()); };
  const auto over = [&] { return calls_of(all()) == 0 && quiet(); };
  if (wait_until(over, grace)) return true;
  if (cancel_until(over, all)) return true;
  bool all_ended = true;
  for (const auto& plugin : all())
    all_ended = cut_off(*plugin) && all_ended;
  wait_until(over, options_.farewell);
  return all_ended;
}

// Again and again, because a request that was on its way may begin a call meanwhile.
bool Drainer::cancel_until(const std::function<bool()>& over, const std::function<Plugins()>& plugins) {
  constexpr std::chrono::milliseconds step{50};
  const auto end = std::chrono::steady_clock::now() + options_.heed_time;
  for (bool told = false;;) {
    const auto all = plugins();
    if (const auto calls = calls_of(all); calls > 0 && !std::exchange(told, true))
      log_.warning("calls cancelled", {{"reason", "they did not finish in time"}, {"calls", calls}});
    for (const auto& plugin : all)
      plugin->cancel_all(CancelReason::shutdown);
    if (wait_until(over, std::min(step, options_.heed_time))) return true;
    if (std::chrono::steady_clock::now() >= end) return false;
  }
}

bool Drainer::cut_off(Plugin& plugin) {
  const auto calls = plugin.fail_all("the call was cut off, because this server is stopping");
  if (calls == 0) return true;
  log_.error("calls cut off", {{"file", plugin.identity().file.string()},
                               {"version", plugin.identity().version},
                               {"calls", calls},
                               {"reason", "they did not end when they were cancelled"}});
  // Of a worker nothing runs here but the host's own code, which ends.
  return !plugin.status().in_process;
}

void Drainer::look_again() {
  if (!waits_) return;
  {
    const MutexLock lock(mutex_);
    woken_ = true;
  }
  changed_.notify_all();
}

bool Drainer::wait_until(const std::function<bool()>& done, std::chrono::milliseconds patience) {
  const auto end = std::chrono::steady_clock::now() + patience;
  waits_ = true;
  while (!done()) {
    MutexLock lock(mutex_);
    while (!woken_ && changed_.wait_until(lock, end)) {
    }
    if (!std::exchange(woken_, false)) break;
  }
  waits_ = false;
  return done();
}

}  // namespace mcph
