#include "sources/folder/folder_source.hpp"

#include <algorithm>
#include <exception>
#include <iterator>
#include <new>
#include <utility>

#include "telemetry/log_events.hpp"

namespace mcph {
namespace {

// Until it is tried again.
constexpr std::chrono::seconds pause_without_memory{1};
// A plugin is not described again for so many times as long as the host was at its last description; but not for longer
// than that, because the host may have been stopped meanwhile.
constexpr int description_pause = 4;
constexpr std::chrono::seconds max_description_pause{60};

std::int64_t count_ms(FolderSource::Time::duration time) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(time).count();
}

// Empty if there is none.
std::string label(const ServedPlugin& served) {
  if (served.plugin == nullptr) return {};
  const auto& identity = served.plugin->identity();
  return identity.name + " " + identity.version + " " + identity.digest;
}

// Memory, threads or descriptors are short, and that may pass. What stands there stays where there is no memory even to
// say so.
template <class T>
void fail_by(const std::exception& error, Result<T>& outcome) {
  try {
    outcome = fail_for_now(std::string("this host cannot do that now: ") + error.what());
  } catch (const std::bad_alloc&) {
  }
}

}  // namespace

FolderSource::FolderSource(Options options, Surroundings surroundings)
    : options_(std::move(options)),
      with_(std::move(surroundings)),
      source_(with_.publisher.add_source()),
      operator_(
          *this, with_.drainer, [&watch = with_.watch] { watch.wake(); }, with_.log) {}

FolderSource::~FolderSource() {
  stop(std::chrono::hours(1));
  if (thread_.joinable()) thread_.join();
}

void FolderSource::load_all(std::chrono::milliseconds patience) {
  look(patience);
}

void FolderSource::run() {
  {
    const MutexLock lock(inbox_->mutex);
    inbox_->serves_changes = true;
  }
  thread_ = std::thread([this] { control(); });
}

bool FolderSource::stop(std::chrono::milliseconds patience) {
  operator_.close();
  {
    const MutexLock lock(inbox_->mutex);
    inbox_->stopping = true;
  }
  inbox_->changed.notify_all();
  with_.watch.wake();
  with_.loader.stop();
  const bool runs = thread_.joinable();
  const auto end = std::chrono::steady_clock::now() + patience;
  MutexLock lock(inbox_->mutex);
  const auto is_over = [&]() REQUIRES(inbox_->mutex) { return (inbox_->ended || !runs) && inbox_->running.empty(); };
  while (!is_over() && inbox_->changed.wait_until(lock, end)) {
  }
  return is_over();
}

void FolderSource::release_plugins() {
  {
    const MutexLock lock(inbox_->mutex);
    if (thread_.joinable() && !inbox_->ended) return;
  }
  files_.clear();
  collected_.clear();
  with_.publisher.release(source_);
  const MutexLock lock(inbox_->mutex);
  inbox_->loaded.clear();
}

std::vector<FolderSource::Refused> FolderSource::refused() const {
  std::vector<Refused> refused;
  for (const auto& [file, tracked] : files_) {
    if (!tracked.refusal().empty()) refused.push_back({file, tracked.refusal()});
  }
  return refused;
}

void FolderSource::control() {
  for (;;) {
    {
      const MutexLock lock(inbox_->mutex);
      inbox_->ended = inbox_->stopping;
      inbox_->changed.notify_all();
      if (inbox_->stopping) return serve_no_changes(*inbox_);
    }
    const auto due = look_with_what_memory_there_is();
    const auto until = [this](Time time) { return std::chrono::milliseconds(count_ms(time - with_.now())); };
    // Where looking takes long, not every hint is worth it.
    with_.watch.pause(until(std::min(due, budget_.due())));
    with_.watch.wait(std::max(until(due), std::chrono::milliseconds(1)));
  }
}

// The host goes on, and the next look finds what has changed. What this one was at is lost: a description, or an
// operator's question; a file whose load it was at is loaded again.
FolderSource::Time FolderSource::look_with_what_memory_there_is() {
  try {
    return look();
  } catch (const std::bad_alloc&) {
    with_.log.error("components not looked at", {{"reason", "there is no memory"}});
    return with_.now() + pause_without_memory;
  }
}

FolderSource::Time FolderSource::look(std::optional<std::chrono::milliseconds> at_start) {
  const auto now = with_.now();
  auto due = budget_.due();
  collect_loads(now);
  withdraw_given_up(now);
  // The operator is told of what lies there now.
  const bool is_asked = operator_.take_asked();
  const bool looks = is_asked || now >= due;
  if (looks) {
    scan(now, is_asked);
    due = now + options_.rescan_interval;
    heed_changes(at_start.has_value(), now);
    due = std::max(due, budget_.due());
  }
  operator_.obey(now);
  // While files are being loaded, because it takes its time. What has changed meanwhile in a folder that is new to the
  // watch it tells of.
  if (looks) watch();
  wait_for_tasks(at_start.value_or(options_.task_patience));
  collect_loads(with_.now());
  withdraw_given_up(with_.now());
  describe_changed(at_start.value_or(options_.task_patience));
  if (changed_) publish();
  pause_described();
  tell_served();
  if (const auto next = description_due()) due = std::min(due, *next);
  if (const auto next = with_.drainer.attend(with_.now())) due = std::min(due, *next);
  for (const auto& [file, tracked] : files_) {
    // What is due already waits for others.
    if (const auto again = tracked.due(); again && *again > now) due = std::min(due, *again);
  }
  operator_.keep_report(scan_, *with_.publisher.remarks());
  operator_.answer();
  return due;
}

void FolderSource::scan(Time now, bool is_asked) {
  scan_ = with_.folder.scan();
  const auto took = with_.now() - now;
  // However often the operator asks, what changes afterwards is seen.
  if (!is_asked) budget_.spend(now, took);
  constexpr std::chrono::milliseconds slow{250};
  slow_looks_ = took < slow ? 0 : slow_looks_ + 1;
  // A single one may be due to a machine that was busy for a moment.
  if (slow_looks_ < 2 || std::exchange(is_slow_, true)) return;
  with_.log.warning(
      "components folder is slow",
      {{"path", options_.root.string()},
       {"ms", count_ms(took)},
       {"reason", "to look at it takes long, so it is looked at less often, and changes are served later"},
       {"next", "keep only plugins in it, on a disk of this machine"}});
}

void FolderSource::watch() {
  with_.watch.watch(scan_.folders);
  report_problems();
  report_remarks();
  report_degradation();
}

void FolderSource::heed_changes(bool at_start, Time now) {
  std::vector<const PluginFile*> to_take;
  std::vector<Path> to_withdraw;
  bool waits = false;
  const auto heed = [&](const TrackedFile::Sighting& sighting) {
    waits |= sighting.waits;
    return sighting;
  };
  for (const auto& file : scan_.plugins) {
    const auto [entry, is_new] = files_.try_emplace(file.file, options_.patience);
    auto& tracked = entry->second;
    if (is_new) {
      if (const auto found = disabled_components_.extract(file.file); !found.empty())
        tracked.disable_components(found.mapped());
    }
    if (heed(tracked.see(file, at_start, now)).take) to_take.push_back(&file);
  }
  for (auto& [file, tracked] : files_) {
    const bool seen = std::ranges::binary_search(scan_.plugins, file, {}, &PluginFile::file);
    if (!seen && !scan_.may_be_hidden(file) && heed(tracked.miss(now)).gone) to_withdraw.push_back(file);
  }
  if (is_awaited(waits, !to_take.empty() || !to_withdraw.empty(), now)) return;
  for (const auto& file : to_withdraw)
    withdraw_missing(file, now);
  for (const auto* const file : to_take) {
    auto& tracked = files_.at(file->file);
    begin_load(tracked, *file, words_for_change(tracked.taken(), *file));
  }
}

// What keeps changing holds nobody up for longer.
bool FolderSource::is_awaited(bool waits, bool any, Time now) {
  if (!waits) {
    burst_began_.reset();
    return false;
  }
  if (!any) return false;
  if (!burst_began_) burst_began_ = now;
  if (now - *burst_began_ < options_.burst_patience) return true;
  burst_began_.reset();
  return false;
}

void FolderSource::withdraw_missing(const Path& file, Time now) {
  const auto entry = files_.find(file);
  const auto version = entry->second.served();
  changed_ |= entry->second.is_quarantined();
  // What the operator said of its components is remembered.
  if (const auto names = entry->second.disabled_components(); !names.empty()) disabled_components_[file] = names;
  files_.erase(entry);
  if (version.plugin == nullptr) return;
  say_when_published([this, path = file.string()] {
    with_.log.info("plugin withdrawn", {{"file", path}, {"reason", "the file is gone"}});
  });
  drain(version, now);
}

std::uint64_t FolderSource::begin_load(TrackedFile& tracked, const PluginFile& file, std::string_view cause) {
  const auto attempt = ++attempts_;
  tracked.begin_load(file, attempt);
  try {
    const auto place = std::make_shared<std::list<Loaded>>();
    place->push_back({.file = file.file, .attempt = attempt, .cause = std::string(cause), .begun = with_.now()});
    begin_task([this, place, file](TaskId task) { load(task, *place, file); });
  } catch (const std::bad_alloc&) {
    tracked.abandon_load();
    throw;
  }
  return attempt;
}

void FolderSource::begin_task(std::function<void(TaskId task)> run) {
  const auto task = ++last_task_;
  try {
    {
      const MutexLock lock(inbox_->mutex);
      inbox_->running.insert(task);
      inbox_->awaited.insert(task);
    }
    with_.plugin_executor.run([run = std::move(run), task] { run(task); });
  } catch (const std::bad_alloc&) {
    const MutexLock lock(inbox_->mutex);
    inbox_->running.erase(task);
    inbox_->awaited.erase(task);
    throw;
  }
}

void FolderSource::end_task(TaskId task) {
  inbox_->running.erase(task);
  const bool is_awaited = inbox_->awaited.erase(task) > 0;
  inbox_->changed.notify_all();
  if (!is_awaited) with_.watch.wake();
}

// On a thread for tasks.
void FolderSource::load(TaskId task, std::list<Loaded>& place, const PluginFile& file) {
  auto& loaded = place.front();
  try {
    if (!is_stopping()) loaded.plugin = with_.loader.load_version(file, events_of(file.file, loaded.attempt));
  } catch (const std::exception& error) {
    fail_by(error, loaded.plugin);
  }
  const MutexLock lock(inbox_->mutex);
  inbox_->loaded.splice(inbox_->loaded.end(), place);
  end_task(task);
}

bool FolderSource::is_stopping() const {
  const MutexLock lock(inbox_->mutex);
  return inbox_->stopping;
}

void FolderSource::drain(const ServedPlugin& version, Time now) {
  if (version.plugin == nullptr) return;
  changed_ = true;
  with_.drainer.drain(version.plugin, now);
}

void FolderSource::say_when_published(std::function<void()> say) {
  to_say_.push_back(std::move(say));
}

// For those that began since, as long as one of them ends now and then.
void FolderSource::wait_for_tasks(std::chrono::milliseconds patience) {
  MutexLock lock(inbox_->mutex);
  for (auto left = inbox_->awaited.size(); left > 0 && !inbox_->stopping; left = inbox_->awaited.size()) {
    const auto end = std::chrono::steady_clock::now() + patience;
    while (inbox_->awaited.size() == left && !inbox_->stopping && inbox_->changed.wait_until(lock, end)) {
    }
    if (inbox_->awaited.size() == left) break;
  }
  inbox_->awaited.clear();
}

void FolderSource::collect_loads(Time now) {
  // Where there was no memory, some are left of the last look.
  settle_collected(now);
  {
    const MutexLock lock(inbox_->mutex);
    collected_.swap(inbox_->loaded);
  }
  // So that the log tells of a burst in the same order each time.
  collected_.sort([](const Loaded& a, const Loaded& b) { return a.file > b.file; });
  settle_collected(now);
}

void FolderSource::settle_collected(Time now) {
  while (!collected_.empty()) {
    auto loaded = std::move(collected_.back());
    collected_.pop_back();
    const auto found = files_.find(loaded.file);
    if (found == files_.end()) {
      operator_.load_ended(loaded.attempt, TrackedFile(options_.patience), false);
      continue;
    }
    const auto attempt = loaded.attempt;
    try {
      settle(found->second, std::move(loaded), now);
    } catch (const std::bad_alloc&) {
      // Without a load it is seen as it has not been taken.
      if (found->second.is_loading(attempt)) found->second.abandon_load();
      throw;
    }
  }
}

void FolderSource::settle(TrackedFile& tracked, Loaded loaded, Time now) {
  const auto attempt = loaded.attempt;
  const bool good = tracked.is_loading(attempt) && loaded.plugin.has_value();
  if (good) {
    serve(tracked, std::move(loaded), now);
  } else if (tracked.is_loading(attempt)) {
    refuse(tracked, loaded.file, loaded.plugin.error(), now);
  }
  operator_.load_ended(attempt, tracked, good);
}

bool FolderSource::is_loading(const Attempt& version) const {
  const auto found = files_.find(version.first);
  return found != files_.end() && found->second.is_loading(version.second);
}

void FolderSource::serve(TrackedFile& tracked, Loaded loaded, Time now) {
  const auto& plugin = *loaded.plugin->served.plugin;
  say_when_published([this, before = label(tracked.served()), identity = plugin.identity(),
                      components = loaded.plugin->served.components->size(), pid = plugin.status().pid,
                      cause = loaded.cause, took = count_ms(with_.now() - loaded.begun)] {
    const bool replaced = !before.empty();
    with_.log.info(replaced ? "plugin replaced" : "plugin loaded", {{"file", identity.file.string()},
                                                                    {"plugin", identity.name},
                                                                    {"version", identity.version},
                                                                    {"digest", identity.digest},
                                                                    {"replaces", replaced ? before : "nothing"},
                                                                    {"cause", cause},
                                                                    {"components", components},
                                                                    {"pid", pid},
                                                                    {"ms", took}});
  });
  for (const auto& remark : loaded.plugin->remarks)
    with_.log.warning("plugin remark", {{"file", loaded.file.string()}, {"remark", remark}});
  tracked.remarks = std::move(loaded.plugin->remarks);
  loads_served_.fetch_add(1);
  changed_ = true;
  drain(tracked.end_load(std::move(loaded.plugin->served)), now);
}

void FolderSource::refuse(TrackedFile& tracked, const Path& file, const Error& error, Time now) {
  // Something newer has come since the look: the next one takes it.
  if (error.code != ErrorCode::invalid && tracked.has_changed_since_load(with_.folder.look_at(file))) {
    return tracked.abandon_load();
  }
  // Clients hear no more that it crashed.
  changed_ |= tracked.is_quarantined();
  // In the place of a plugin it is a mistake.
  if (tracked.served().plugin == nullptr && error.code == ErrorCode::other_kind) return pass_over(tracked, file);
  if (tracked.fail_load(error, now) != TrackedFile::Failure::news) return;
  loads_refused_.fetch_add(1);
  const auto& serving = tracked.served().plugin;
  with_.log.error(
      plugin_refused,
      {{"file", file.string()},
       {"reason", error.message},
       {"serving", serving != nullptr ? "the last good version, " + serving->identity().version : "nothing of it"},
       {"next", error.may_pass() ? "it is tried again at intervals"
                                 : "it is tried again when the file or its configuration changes"}});
}

void FolderSource::pass_over(TrackedFile& tracked, const Path& file) {
  if (!tracked.pass_over()) return;
  with_.log.info("library passed over",
                 {{"file", file.string()},
                  {"reason", "it is no plugin, and by its name a library that plugins need"},
                  {"next", "to deploy it with its plugin as one, put both into a bundle, the folder NAME.plugin"}});
}

PluginEvents FolderSource::events_of(const Path& file, std::uint64_t attempt) {
  return {.components_changed =
              [this, inbox = inbox_, file, attempt](std::shared_ptr<ComponentChanges> changes) {
                {
                  const MutexLock lock(inbox->mutex);
                  inbox->to_describe.insert_or_assign({file, attempt}, std::move(changes));
                  if (!inbox->serves_changes) serve_no_changes(*inbox);
                }
                with_.watch.wake();
              },
          .resource_updated = with_.resource_updated,
          .gave_up =
              [this, inbox = inbox_, file, attempt](Error why) {
                {
                  const MutexLock lock(inbox->mutex);
                  inbox->given_up.push_back({file, attempt, std::move(why)});
                }
                with_.watch.wake();
              },
          .calls_ended = [this] { with_.drainer.look_again(); }};
}

void FolderSource::withdraw_given_up(Time now) {
  std::vector<GivenUp> given_up;
  {
    const MutexLock lock(inbox_->mutex);
    given_up.swap(inbox_->given_up);
  }
  for (auto& each : given_up) {
    if (is_loading({each.file, each.attempt})) {
      const MutexLock lock(inbox_->mutex);
      inbox_->given_up.push_back(std::move(each));
      continue;
    }
    const auto& [file, attempt, why] = each;
    const auto found = files_.find(file);
    if (found == files_.end()) continue;
    const auto version = found->second.give_up(attempt, why, now);
    if (version.plugin == nullptr) continue;
    given_up_.fetch_add(1);
    drain(version, now);
    say_when_published([this, path = file.string(), reason = why] {
      with_.log.error(
          "plugin quarantined",
          {{"file", path},
           {"reason", reason.message},
           {"next", reason.may_pass()
                        ? "it is loaded again"
                        : "its components are withdrawn until the file changes or the operator reloads it"}});
    });
  }
}

// What changes without end is described as long as it is not.
void FolderSource::describe_changed(std::chrono::milliseconds patience) {
  const auto now = with_.now();
  if (begin_descriptions(now)) {
    wait_for_tasks(patience);
    const auto end = with_.now();
    describe_at_ = end + std::max<Time::duration>(options_.describe_interval, end - now);
  }
  collect_descriptions();
  tell_slow_descriptions();
}

bool FolderSource::begin_descriptions(Time now) {
  std::map<Attempt, std::shared_ptr<ComponentChanges>> ready;
  {
    const MutexLock lock(inbox_->mutex);
    auto& to_describe = inbox_->to_describe;
    for (auto each = to_describe.begin(); each != to_describe.end();) {
      const auto next = std::next(each);
      if (const auto at = describable_at(each->first); at && *at <= now) ready.insert(to_describe.extract(each));
      each = next;
    }
  }
  const bool any = !ready.empty();
  try {
    for (; !ready.empty(); ready.erase(ready.begin()))
      begin_description(ready.begin()->first, ready.begin()->second);
  } catch (const std::bad_alloc&) {
    // For the next look: they say no more that they have changed.
    const MutexLock lock(inbox_->mutex);
    inbox_->to_describe.merge(ready);
    throw;
  }
  return any;
}

std::optional<FolderSource::Time> FolderSource::describable_at(const Attempt& version) const {
  if (is_loading(version) || describing_.contains(version)) return std::nullopt;
  const auto found = files_.find(version.first);
  const bool is_served = found != files_.end() && found->second.serves(version.second);
  return is_served ? std::max(describe_at_, found->second.describe_at) : describe_at_;
}

std::optional<FolderSource::Time> FolderSource::description_due() const {
  std::optional<Time> due;
  const MutexLock lock(inbox_->mutex);
  for (const auto& [version, changes] : inbox_->to_describe) {
    if (const auto at = describable_at(version)) due = std::min(due.value_or(*at), *at);
  }
  return due;
}

void FolderSource::begin_description(const Attempt& version, const std::shared_ptr<ComponentChanges>& changes) {
  if (changes != nullptr) changes->described();
  const auto found = files_.find(version.first);
  if (found == files_.end() || !found->second.serves(version.second)) {
    if (changes != nullptr) to_tell_.push_back(changes);
    return;
  }
  const auto place = std::make_shared<std::list<Described>>();
  place->push_back({.version = version, .changes = changes, .before = found->second.description});
  const auto describing = describing_.emplace(version, false).first;
  try {
    begin_task([this, place, plugin = std::weak_ptr(found->second.served().plugin)](TaskId task) {
      describe(task, plugin, *place);
    });
  } catch (const std::bad_alloc&) {
    describing_.erase(describing);
    throw;
  }
}

// On a thread for tasks. The lease is given back while this object is there.
void FolderSource::describe(TaskId task, const std::weak_ptr<Plugin>& plugin, std::list<Described>& place) {
  auto& described = place.front();
  try {
    if (const auto lease = plugin.lock(); lease != nullptr && !is_stopping()) described.description = lease->describe();
    const auto& description = described.description;
    if (description.has_value() && *description != described.before) {
      const auto begun = with_.now();
      described.components = parse_components(*description);
      described.parsing = with_.now() - begun;
    }
  } catch (const std::exception& error) {
    fail_by(error, described.description);
  }
  const MutexLock lock(inbox_->mutex);
  inbox_->described.splice(inbox_->described.end(), place);
  if (!inbox_->serves_changes) serve_no_changes(*inbox_);
  end_task(task);
}

void FolderSource::collect_descriptions() {
  std::list<Described> all;
  {
    const MutexLock lock(inbox_->mutex);
    all.swap(inbox_->described);
  }
  // Whatever becomes of these, the next ones can begin.
  for (const auto& each : all)
    describing_.erase(each.version);
  const auto now = with_.now();
  for (auto& each : all) {
    described_.emplace_back(each.version.first, now - each.parsing);
    settle_description(each);
    if (each.changes != nullptr) to_tell_.push_back(std::move(each.changes));
  }
}

void FolderSource::tell_slow_descriptions() {
  for (auto& [version, is_told] : describing_) {
    if (std::exchange(is_told, true)) continue;
    with_.log.warning("plugin is slow", {{"file", version.first.string()},
                                         {"reason", "its components have changed, and it has not described them yet"},
                                         {"serving", "the components it had before, until it has"}});
  }
}

void FolderSource::settle_description(Described& described) {
  const auto& [file, attempt] = described.version;
  const auto& description = described.description;
  const auto found = files_.find(file);
  if (found == files_.end() || !found->second.serves(attempt)) return;
  auto& tracked = found->second;
  if (description.has_value() && !described.components) return;
  // A worker that is being started anew says so when it is there.
  if (description.has_error() && description.error().may_pass()) return;
  tracked.description = description.has_value() ? *description : std::string();
  const auto keep_serving = [this, &path = file, &plugin = *tracked.served().plugin](const std::string& reason) {
    with_.log.error("plugin misbehaved",
                    {{"file", path.string()}, {"reason", reason}, {"serving", "the components it had before"}});
    plugin.went_wrong(reason + "; served are those that it had before");
  };
  if (description.has_error()) return keep_serving("its components changed: " + description.error().message);
  auto& parsed = *described.components;
  if (parsed.has_error()) {
    return keep_serving("its components changed to something invalid: " + parsed.error().message);
  }
  auto components = with_settings(*std::move(parsed), tracked.served().components->settings);
  say_when_published([this, path = file.string(), count = components.size()] {
    with_.log.info("plugin changed its components", {{"file", path}, {"components", count}});
  });
  tracked.describe_anew(std::make_shared<const Components>(std::move(components)));
  changed_ = true;
}

// Once what they describe is published.
void FolderSource::pause_described() {
  const auto now = with_.now();
  for (const auto& [file, begun] : std::exchange(described_, {})) {
    const auto pause = std::min<Time::duration>(description_pause * (now - begun), max_description_pause);
    if (const auto found = files_.find(file); found != files_.end()) found->second.describe_at = now + pause;
  }
}

void FolderSource::tell_served() {
  for (const auto& changes : std::exchange(to_tell_, {}))
    changes->served();
}

void FolderSource::serve_no_changes(Inbox& inbox) {
  inbox.serves_changes = false;
  for (auto& [version, changes] : inbox.to_describe) {
    if (changes == nullptr) continue;
    changes->described();
    std::exchange(changes, nullptr)->served();
  }
  for (auto& each : inbox.described) {
    if (const auto changes = std::exchange(each.changes, nullptr)) changes->served();
  }
}

void FolderSource::publish() {
  std::vector<ServedPlugin> plugins;
  std::vector<WithdrawnPlugin> withdrawn;
  for (const auto& [file, tracked] : files_) {
    if (tracked.served().plugin != nullptr) plugins.push_back(tracked.listed());
    if (tracked.is_quarantined()) withdrawn.push_back({*tracked.withdrawn(), tracked.withdrawn_components()});
  }
  with_.publisher.publish(
      source_, std::move(plugins),
      [says = to_say_] {
        for (const auto& say : says)
          say();
      },
      std::move(withdrawn));
  // Without memory it is published at the next look.
  to_say_.clear();
  changed_ = false;
}

void FolderSource::report_problems() {
  if (scan_.problems == reported_problems_) return;
  for (const auto& problem : scan_.problems) {
    if (std::find(reported_problems_.begin(), reported_problems_.end(), problem) != reported_problems_.end()) continue;
    with_.log.warning("components folder", {{"path", problem.path.string()}, {"problem", problem.reason}});
  }
  reported_problems_ = scan_.problems;
}

void FolderSource::report_remarks() {
  // At the start. Later a configuration may be there before its plugin, which status alone tells.
  if (std::exchange(has_remarked_, true)) return;
  for (const auto& [file, remarks] : scan_.remarks) {
    for (const auto& remark : remarks)
      with_.log.warning("plugin remark", {{"file", file.string()}, {"remark", remark}});
  }
}

void FolderSource::report_degradation() {
  if (auto degradation = with_.watch.degraded_reason(); degradation != reported_degradation_) {
    reported_degradation_ = std::move(degradation);
    if (!reported_degradation_.empty()) with_.log.warning("watching degraded", {{"reason", reported_degradation_}});
  }
}

}  // namespace mcph
