#include "sources/folder/reloader.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace mcph {
namespace {

std::int64_t milliseconds_since(Reloader::Clock::time_point begin) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(Reloader::Clock::now() - begin).count();
}

std::chrono::milliseconds milliseconds_until(Reloader::Clock::time_point end) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(end - Reloader::Clock::now());
}

// Empty if there is none.
std::string label(const ServedPlugin& served) {
  if (served.plugin == nullptr) return {};
  const auto& identity = served.plugin->identity();
  return identity.name + " " + identity.version + " " + identity.digest;
}

}  // namespace

Reloader::Reloader(Options options, PluginLoader& loader, PublishedCatalog& catalog, Log& log)
    : options_(std::move(options)), loader_(loader), catalog_(catalog), log_(log), watch_(FolderWatch::create()) {}

Reloader::~Reloader() {
  if (!thread_.joinable()) return;
  stop(std::chrono::hours(1));
  thread_.join();
}

void Reloader::load_all() {
  look(false);
}

void Reloader::run() {
  {
    const std::lock_guard lock(mutex_);
    serves_changes_ = true;
  }
  thread_ = std::thread([this] { control(); });
}

bool Reloader::stop(std::chrono::milliseconds patience) {
  requests_.close();
  if (!thread_.joinable()) return true;
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  watch_->wake();
  std::unique_lock lock(mutex_);
  return ended_changed_.wait_for(lock, patience, [this] { return ended_; });
}

void Reloader::release_plugins() {
  tracked_.clear();
  draining_.clear();
}

std::vector<std::shared_ptr<Plugin>> Reloader::plugins() const {
  std::vector<std::shared_ptr<Plugin>> plugins;
  for (const auto& [file, tracked] : tracked_) {
    if (tracked.served.plugin != nullptr) plugins.push_back(tracked.served.plugin);
  }
  for (const auto& each : draining_) {
    if (auto plugin = each.plugin.lock()) plugins.push_back(std::move(plugin));
  }
  return plugins;
}

std::vector<Reloader::Refused> Reloader::refused() const {
  std::vector<Refused> refused;
  for (const auto& [file, tracked] : tracked_) {
    if (!tracked.refusal.empty()) refused.push_back({file, tracked.refusal});
  }
  return refused;
}

void Reloader::control() {
  for (;;) {
    {
      const std::lock_guard lock(mutex_);
      ended_ = stopping_;
      ended_changed_.notify_all();
      if (stopping_) return serve_no_changes();
    }
    const auto due = look(true);
    // Where looking takes long, not every hint is worth it.
    watch_->pause(milliseconds_until(std::min(due, budget_.due())));
    watch_->wait(std::max(milliseconds_until(due), std::chrono::milliseconds(1)));
  }
}

Reloader::Clock::time_point Reloader::look(bool settle) {
  const auto now = Clock::now();
  auto due = budget_.due();
  auto asked = requests_.take();
  bool changed = generation_ == 0;
  // The operator is told of what lies there now.
  if (now >= due || !asked.empty()) {
    scan(now);
    due = now + options_.rescan_interval;
    changed |= heed_changes(settle, now, due);
    due = std::max(due, budget_.due());
  }
  changed |= describe_again(now, due);
  changed |= withdraw_given_up(now);
  changed |= obey_operator(std::move(asked), now);
  if (changed) publish();
  tell_served();
  check_draining(now, due);
  keep_report();
  answer_operator();
  return due;
}

void Reloader::scan(Clock::time_point now) {
  scan_ = scan_components(options_.root);
  watch_->watch(scan_.folders);
  report_problems();
  const auto took = Clock::now() - now;
  budget_.spend(now, took);
  constexpr std::chrono::milliseconds slow{250};
  if (took < slow || std::exchange(is_slow_, true)) return;
  log_.warning("components folder is slow",
               {{"path", options_.root.string()},
                {"ms", std::chrono::duration_cast<std::chrono::milliseconds>(took).count()},
                {"reason", "to look at it takes long, so it is looked at less often, and changes are served later"},
                {"next", "keep only plugins in it, on a disk of this machine"}});
}

bool Reloader::take(Tracked& tracked, const PluginFile& file, std::string_view cause) {
  const auto begin = Clock::now();
  const auto attempt = ++attempts_;
  auto loaded = load(file, attempt);
  if (loaded.has_error()) {
    const auto& error = loaded.error();
    // Something newer has come since the look: the next one takes it.
    if ((error.may_pass || error.may_be_incomplete) && plugin_file_at(file.file) != file) return false;
    const bool changing = tracked.changing == file;
    if (changing && error.may_be_incomplete && !std::exchange(tracked.incomplete, true)) return false;
    refuse(tracked, file, error);
    return false;
  }
  if (const auto started = loaded->served.plugin->start(); started.has_error()) {
    auto error = started.error();
    error.may_pass = error.may_pass && !loaded->stays_mapped;
    refuse(tracked, file, error);
    return false;
  }

  say_when_published([this, before = label(tracked.served), identity = loaded->served.plugin->identity(),
                      components = loaded->served.components->size(), pid = loaded->served.plugin->status().pid, cause,
                      took = milliseconds_since(begin)] {
    const bool replaced = !before.empty();
    log_.info(replaced ? "plugin replaced" : "plugin loaded", {{"file", identity.file.string()},
                                                               {"plugin", identity.name},
                                                               {"version", identity.version},
                                                               {"digest", identity.digest},
                                                               {"replaces", replaced ? before : "nothing"},
                                                               {"cause", cause},
                                                               {"components", components},
                                                               {"pid", pid},
                                                               {"ms", took}});
  });
  for (const auto& remark : loaded->remarks)
    log_.warning("plugin remark", {{"file", file.file.string()}, {"remark", remark}});
  tracked.taken = file;
  tracked.configured = !file.configuration.is_absent();
  tracked.changing.reset();
  tracked.refusal.clear();
  tracked.retry_at.reset();
  tracked.attempt = attempt;
  serve(tracked, *std::move(loaded));
  return true;
}

Result<LoadedPlugin> Reloader::load(const PluginFile& file, std::uint64_t attempt) {
  auto configuration = loader_.configuration_of(file);
  if (configuration.has_error()) return configuration.error();
  PluginEvents events{.components_changed =
                          [this, path = file.file](std::shared_ptr<ComponentChanges> changes) {
                            components_changed(path, std::move(changes));
                          },
                      .resource_updated = [this](const std::string& uri) { catalog_.resource_updates()->updated(uri); },
                      .gave_up =
                          [this, path = file.file, attempt](Error why) {
                            gave_up({path, attempt, std::move(why)});
                          }};
  return loader_.load(file, *std::move(configuration), std::move(events));
}

void Reloader::refuse(Tracked& tracked, const PluginFile& file, const Error& error) {
  const bool again = tracked.taken == file;
  const bool known = again && tracked.refusal == error.message;
  tracked.taken = file;
  tracked.configured = !file.configuration.is_absent();
  tracked.changing.reset();
  tracked.refusal = error.message;
  tracked.quarantined = false;
  tracked.retry_at.reset();
  if (error.may_pass) {
    tracked.retry_delay = again ? std::min(2 * tracked.retry_delay, options_.last_retry) : options_.first_retry;
    tracked.retry_at = Clock::now() + tracked.retry_delay;
  }
  if (known) return;
  const bool serving = tracked.served.plugin != nullptr;
  log_.error(
      "plugin refused",
      {{"file", file.file.string()},
       {"reason", error.message},
       {"serving", serving ? "the last good version, " + tracked.served.plugin->identity().version : "nothing of it"},
       {"next", error.may_pass ? "it is tried again at intervals"
                               : "it is tried again when the file or its configuration changes"}});
}

void Reloader::serve(Tracked& tracked, LoadedPlugin loaded) {
  retire(tracked.served, Clock::now());
  tracked.served = std::move(loaded.served);
  tracked.description.clear();
  tracked.quarantined = false;
  tracked.withdrawn.reset();
}

void Reloader::retire(const ServedPlugin& old, Clock::time_point now) {
  if (old.plugin != nullptr) draining_.push_back({old.plugin, old.plugin->identity(), now + options_.drain_time});
}

// What changes without end has as much time of this thread as it leaves.
bool Reloader::describe_again(Clock::time_point now, Clock::time_point& due) {
  std::set<std::filesystem::path> files;
  {
    const std::lock_guard lock(mutex_);
    if (to_describe_.empty()) return false;
    if (now < describe_at_) {
      due = std::min(due, describe_at_);
      return false;
    }
    files.swap(to_describe_);
    described_.swap(changes_);
  }
  const auto begin = Clock::now();
  for (const auto& changes : described_)
    changes->described();
  bool changed = false;
  for (const auto& file : files)
    changed |= describe_again(file);
  const auto end = Clock::now();
  describe_at_ = end + std::max<Clock::duration>(options_.describe_interval, end - begin);
  return changed;
}

bool Reloader::describe_again(const std::filesystem::path& file) {
  const auto found = tracked_.find(file);
  if (found == tracked_.end() || found->second.served.plugin == nullptr) return false;
  auto& served = found->second.served;
  const auto description = served.plugin->describe();
  if (description.has_value() && *description == found->second.description) return false;
  // A worker that is being started anew says so when it is there.
  if (description.has_error() && description.error().may_pass) return false;
  found->second.description = description.has_value() ? *description : std::string();
  auto components = description.has_error() ? Result<Components>(description.error()) : parse_components(*description);
  if (components.has_error()) {
    log_.error("plugin misbehaved",
               {{"file", file.string()},
                {"reason", "its components changed to something invalid: " + components.error().message},
                {"serving", "the components it had before"}});
    return false;
  }
  served.components = std::make_shared<const Components>(*std::move(components));
  say_when_published([this, path = file.string(), components = served.components->size()] {
    log_.info("plugin changed its components", {{"file", path}, {"components", components}});
  });
  return true;
}

void Reloader::tell_served() {
  for (const auto& changes : std::exchange(described_, {}))
    changes->served();
}

void Reloader::publish() {
  std::vector<ServedPlugin> plugins;
  for (const auto& [file, tracked] : tracked_) {
    if (tracked.served.plugin != nullptr) plugins.push_back(tracked.served);
  }
  const auto next = std::make_shared<const Catalog>(++generation_, std::move(plugins), options_.instructions);
  catalog_.publish(next);
  for (const auto& say : std::exchange(to_say_, {}))
    say();
  report_conflicts(*next);
}

void Reloader::say_when_published(std::function<void()> say) {
  to_say_.push_back(std::move(say));
}

void Reloader::report_conflicts(const Catalog& catalog) {
  for (const auto& conflict : catalog.conflicts()) {
    if (std::find(reported_conflicts_.begin(), reported_conflicts_.end(), conflict) != reported_conflicts_.end())
      continue;
    log_.warning("component hidden", {{conflict.kind, conflict.key},
                                      {"served", conflict.served.string()},
                                      {"hidden", conflict.hidden.string()},
                                      {"reason", "two plugins export it and the first by path is served"},
                                      {"next", "to have both, rename it in one of the two"}});
  }
  for (const auto& conflict : reported_conflicts_) {
    const auto* owner = catalog.find_owner(conflict.kind, conflict.key);
    if (owner == nullptr || owner->identity().file != conflict.hidden) continue;
    log_.info("component no longer hidden", {{conflict.kind, conflict.key}, {"served", conflict.hidden.string()}});
  }
  reported_conflicts_ = catalog.conflicts();
}

void Reloader::report_problems() {
  for (const auto& problem : scan_.problems) {
    if (std::find(reported_problems_.begin(), reported_problems_.end(), problem) != reported_problems_.end()) continue;
    log_.warning("components folder", {{"path", problem.path.string()}, {"problem", problem.reason}});
  }
  reported_problems_ = scan_.problems;
  if (auto degradation = watch_->degraded_reason(); degradation != reported_degradation_) {
    reported_degradation_ = std::move(degradation);
    if (!reported_degradation_.empty()) log_.warning("watching degraded", {{"reason", reported_degradation_}});
  }
}

void Reloader::check_draining(Clock::time_point now, Clock::time_point& due) {
  std::erase_if(draining_, [](const Draining& each) { return each.plugin.expired(); });
  for (auto& each : draining_) {
    const auto plugin = each.plugin.lock();
    if (plugin == nullptr || each.given_up) continue;
    if (now >= each.due) hurry(each, *plugin, now);
    if (!each.given_up) due = std::min(due, each.due);
  }
}

void Reloader::hurry(Draining& draining, Plugin& plugin, Clock::time_point now) {
  const auto say = [&](Log::Level level, std::string_view event, std::size_t calls, std::string_view reason) {
    log_.write(level, event,
               {{"file", draining.identity.file.string()},
                {"version", draining.identity.version},
                {"calls", calls},
                {"reason", reason}});
  };
  if (!std::exchange(draining.cancelled, true)) {
    draining.due = now + options_.heed_time;
    say(Log::Level::warning, "calls cancelled", plugin.calls_in_flight(),
        "they did not finish in time after the plugin was replaced or removed");
    return plugin.cancel_all(CancelReason::reload);
  }
  draining.given_up = true;
  const auto calls = plugin.fail_all("the call was cut off, because the plugin was replaced or removed");
  if (calls > 0) say(Log::Level::error, "calls cut off", calls, "they did not end when they were cancelled");
}

bool Reloader::withdraw_given_up(Clock::time_point now) {
  std::vector<GivenUp> given_up;
  {
    const std::lock_guard lock(mutex_);
    given_up.swap(given_up_);
  }
  bool changed = false;
  for (const auto& [file, attempt, why] : given_up) {
    const auto found = tracked_.find(file);
    // A version that has been replaced is nobody's concern any more.
    if (found == tracked_.end() || found->second.attempt != attempt || found->second.served.plugin == nullptr) continue;
    auto& tracked = found->second;
    withdraw(tracked, now);
    tracked.quarantined = true;
    // Where a newer file has been refused, that stands.
    if (tracked.refusal.empty()) tracked.refusal = "quarantined: " + why.message;
    if (why.may_pass) tracked.retry_at = now;
    say_when_published([this, path = file.string(), reason = why] {
      log_.error("plugin quarantined",
                 {{"file", path},
                  {"reason", reason.message},
                  {"next", reason.may_pass
                               ? "it is loaded again"
                               : "its components are withdrawn until the file changes or the operator reloads it"}});
    });
    changed = true;
  }
  return changed;
}

void Reloader::gave_up(GivenUp which) {
  {
    const std::lock_guard lock(mutex_);
    given_up_.push_back(std::move(which));
  }
  watch_->wake();
}

void Reloader::components_changed(const std::filesystem::path& file, std::shared_ptr<ComponentChanges> changes) {
  {
    const std::lock_guard lock(mutex_);
    to_describe_.insert(file);
    changes_.push_back(std::move(changes));
    if (!serves_changes_) serve_no_changes();
  }
  watch_->wake();
}

// From then on no answer waits for them. Needs the lock.
void Reloader::serve_no_changes() {
  serves_changes_ = false;
  for (const auto& changes : std::exchange(changes_, {})) {
    changes->described();
    changes->served();
  }
}

}  // namespace mcph
