// The part of the reloader that does what the operator asks and says how everything fares.
#include <algorithm>
#include <utility>

#include "base/absolute_path.hpp"
#include "sources/folder/reloader.hpp"

namespace mcph {
namespace {

std::string label(const PluginIdentity& identity) {
  constexpr std::size_t digits = 12;  // enough to tell builds apart by eye
  return identity.name + " " + identity.version + " (" + identity.digest.substr(0, digits) + ")";
}

ReportedState reported(PluginState state) {
  switch (state) {
    case PluginState::serving:
      return ReportedState::serving;
    case PluginState::starting:
      return ReportedState::starting;
    case PluginState::resting:
      return ReportedState::resting;
    case PluginState::ended:
      break;
  }
  return ReportedState::quarantined;  // or about to be
}

// Its file's path or the end of it, with the extension or without.
bool lies_at(const std::filesystem::path& file, const std::filesystem::path& name) {
  const auto path = absolute_path(file).lexically_normal();
  const auto length = std::distance(name.begin(), name.end());
  if (length == 0 || length > std::distance(path.begin(), path.end())) return false;
  const auto end = std::prev(path.end(), length);
  return std::equal(end, std::prev(path.end()), name.begin()) &&
         (path.filename() == name.filename() || path.stem() == name.filename());
}

}  // namespace

OperatorRequests::Answer Reloader::operate(OperatorRequest request) {
  return requests_.ask(std::move(request), [this] { watch_->wake(); });
}

bool Reloader::obey_operator(Asked asked, Clock::time_point now) {
  bool changed = false;
  for (auto& pending : asked) {
    auto answer = obey(pending->request, now, changed);
    to_answer_.emplace_back(std::move(pending), std::move(answer));
  }
  return changed;
}

void Reloader::answer_operator() {
  for (auto& [pending, answer] : std::exchange(to_answer_, {}))
    requests_.answer(*pending, std::move(answer));
}

OperatorRequests::Answer Reloader::obey(const OperatorRequest& request, Clock::time_point now, bool& changed) {
  using Kind = OperatorRequest::Kind;
  const auto files = files_called(request.plugin);
  if (files.empty() && !request.plugin.empty()) return nothing_called(request.plugin);
  std::vector<OperatorOutcome> outcomes;
  for (const auto& file : files) {
    auto& tracked = tracked_.at(file);
    if (request.kind == Kind::disable) {
      outcomes.push_back(disable(tracked, file, now, changed));
    } else if (request.kind == Kind::enable && !std::exchange(tracked.disabled, false)) {
      outcomes.push_back({file, true, "it is not disabled"});
    } else if (!request.plugin.empty() || !tracked.disabled) {
      outcomes.push_back(reload(tracked, file, now, changed));
    }
  }
  return outcomes;
}

OperatorOutcome Reloader::reload(Tracked& tracked, const std::filesystem::path& path, Clock::time_point now,
                                 bool& changed) {
  if (tracked.disabled) return {path, false, "it is disabled; enable it"};
  const auto file = std::find_if(scan_.plugins.begin(), scan_.plugins.end(),
                                 [&path](const PluginFile& each) { return each.file == path; });
  if (file == scan_.plugins.end()) return {path, false, "its file is gone"};
  const bool is_changing = tracked.changing == *file && now - tracked.changed_at < options_.new_file_patience;
  if (is_changing && may_be_given_configuration(tracked, *file)) {
    return {path, true, "it is new and has no configuration; it is taken in a moment, if none follows"};
  }
  tracked.taken.reset();
  // Also asked for it is not loaded without in the moment in which somebody writes it.
  if (has_lost_configuration(tracked, *file)) {
    return {path, true,
            "its configuration " + configuration_file(path).string() +
                " is missing just now; the file is taken when that is back, or stays away"};
  }
  tracked.changing.reset();
  if (take(tracked, *file, "the operator asked for it")) {
    changed = true;
    return {path, true, "serving " + label(tracked.served.plugin->identity())};
  }
  if (!tracked.taken) return {path, true, "its file changes just now, and is taken when it is still"};
  const auto* serving = tracked.served.plugin.get();
  return {path, false,
          "refused: " + tracked.refusal + (serving == nullptr ? "" : "; still serving " + label(serving->identity()))};
}

OperatorOutcome Reloader::disable(Tracked& tracked, const std::filesystem::path& path, Clock::time_point now,
                                  bool& changed) {
  if (std::exchange(tracked.disabled, true)) return {path, true, "it was disabled before"};
  tracked.changing.reset();
  tracked.retry_at.reset();
  tracked.refusal.clear();
  tracked.quarantined = false;
  auto say = [this, path] { log_.warning("plugin disabled", {{"file", path.string()}}); };
  if (tracked.served.plugin == nullptr) {
    say();
    return {path, true, "disabled"};
  }
  const auto calls = tracked.served.plugin->calls_in_flight();
  withdraw(tracked, now);
  changed = true;
  say_when_published(std::move(say));
  return {path, true, calls == 0 ? "disabled" : "disabled; calls that still run: " + std::to_string(calls)};
}

void Reloader::withdraw(Tracked& tracked, Clock::time_point now) {
  tracked.withdrawn = tracked.served.plugin->identity();
  tracked.status_at_withdrawal = tracked.served.plugin->status();
  tracked.status_at_withdrawal.pid = 0;
  retire(std::exchange(tracked.served, {}), now);
}

std::vector<std::filesystem::path> Reloader::files_called(const std::string& name) const {
  std::vector<std::filesystem::path> named;
  std::vector<std::filesystem::path> placed;
  for (const auto& [file, tracked] : tracked_) {
    const auto& plugin = tracked.served.plugin;
    const bool is_named = plugin != nullptr ? plugin->identity().name == name
                                            : tracked.withdrawn.has_value() && tracked.withdrawn->name == name;
    if (name.empty() || is_named) named.push_back(file);
    if (lies_at(file, std::filesystem::path(name).lexically_normal())) placed.push_back(file);
  }
  return named.empty() ? placed : named;
}

Error Reloader::nothing_called(const std::string& name) const {
  constexpr std::size_t most = 100;
  std::string there;
  std::size_t count = 0;
  for (const auto& [file, tracked] : tracked_) {
    if (++count > most) break;
    const auto& plugin = tracked.served.plugin;
    there += (there.empty() ? "" : ", ") + (plugin != nullptr               ? plugin->identity().name
                                            : tracked.withdrawn.has_value() ? tracked.withdrawn->name
                                                                            : file.filename().string());
  }
  return fail("no plugin is called \"" + name + "\"; there " +
              (there.empty() ? "is none" : "are " + there + (count > most ? " and others" : "")));
}

Reloader::Watched Reloader::watched(const std::filesystem::path& file, const Tracked& tracked) const {
  Watched watched{.report = {.file = absolute_path(file), .refusal = tracked.refusal}, .plugin = tracked.served.plugin};
  auto& report = watched.report;
  if (const auto& plugin = tracked.served.plugin; plugin != nullptr) {
    report.identity = plugin->identity();
    report.components = tracked.served.components->size();
    return watched;
  }
  report.identity = tracked.withdrawn;
  report.status = tracked.status_at_withdrawal;
  report.state = tracked.disabled      ? ReportedState::disabled
                 : tracked.quarantined ? ReportedState::quarantined
                                       : ReportedState::refused;
  return watched;
}

void Reloader::keep_report() {
  std::vector<Watched> all;
  for (const auto& [file, tracked] : tracked_) {
    const bool is_new = tracked.served.plugin == nullptr && tracked.refusal.empty() && !tracked.disabled;
    if (!is_new) all.push_back(watched(file, tracked));
  }
  for (const auto& each : draining_) {
    all.push_back({.report = {.file = absolute_path(each.identity.file),
                              .identity = each.identity,
                              .state = ReportedState::draining},
                   .plugin = each.plugin});
  }
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.report.file < b.report.file; });
  const std::lock_guard lock(report_mutex_);
  watched_ = std::move(all);
  watched_problems_ = reported_problems_;
}

FolderReport Reloader::report() const {
  std::vector<Watched> all;
  FolderReport report;
  {
    const std::lock_guard lock(report_mutex_);
    all = watched_;
    report.problems = watched_problems_;
  }
  for (auto& [each, watched] : all) {
    const auto plugin = watched.lock();
    const bool drains = each.state == ReportedState::draining;
    if (plugin != nullptr) {
      each.status = plugin->status();
      if (!drains) each.state = reported(each.status.state);
    }
    // One that drained has come to its end meanwhile.
    if (plugin != nullptr || !drains) report.plugins.push_back(std::move(each));
  }
  return report;
}

}  // namespace mcph
