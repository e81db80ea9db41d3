#include "sources/folder/operator_service.hpp"

#include <algorithm>
#include <utility>

#include "base/absolute_path.hpp"
#include "base/similar_name.hpp"

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
    case PluginState::backoff:
      return ReportedState::backoff;
    case PluginState::ended:
      break;
  }
  return ReportedState::quarantined;  // or about to be
}

// As the plugin calls itself, or did.
std::optional<std::string> name_of(const TrackedFile& tracked) {
  if (tracked.served().plugin != nullptr) return tracked.served().plugin->identity().name;
  if (tracked.withdrawn()) return tracked.withdrawn()->name;
  return std::nullopt;
}

// What is not served of a plugin that is not disabled itself; empty: all of it is.
std::string words_for_disabled(const TrackedFile::ComponentNames& names) {
  std::string all;
  for (const auto& name : names)
    all += (all.empty() ? "" : ", ") + name;
  return all.empty() ? "" : ", but these of its components are: " + all + "; enable each with --component NAME";
}

}  // namespace

std::string name_of_file(const std::filesystem::path& file) {
  auto name = file.filename().string();
  if (!is_upstream_name(file)) return file.stem().string();
  name.resize(name.size() - upstream_ending.size());
  return name;
}

std::string table_of_upstream(const std::filesystem::path& file) {
  return "[upstreams." + name_of_file(file) + "]";
}

bool is_file_called(const std::filesystem::path& file, const std::string& called) {
  return is_path_called(file, called) || is_path_called(file, called + std::string(upstream_ending));
}

std::string words_for_unknown_name(const std::string& called, const std::vector<KnownPlugin>& known) {
  constexpr std::size_t most = 100;
  std::string there;
  std::vector<std::string> names;
  for (const auto& [name, file] : known) {
    names.push_back(name.empty() ? name_of_file(file) : name);
    if (names.size() <= most) there += (there.empty() ? "" : ", ") + (name.empty() ? file.filename().string() : name);
  }
  const auto nearest = similar_name(called, names);
  return "is called \"" + called + "\"; there " +
         (there.empty() ? "is none" : "are " + there + (names.size() > most ? " and others" : "")) +
         (nearest.empty() ? "" : "; did you mean \"" + nearest + "\"?");
}

OperatorService::Answer OperatorService::ask(OperatorRequest request) {
  const auto pending = std::make_shared<Pending>(Pending{std::move(request)});
  {
    const MutexLock lock(mutex_);
    if (!closed_) waiting_.push_back(pending);
  }
  wake_();
  return wait_for(*pending);
}

OperatorService::Answer OperatorService::wait_for(const Pending& pending) {
  MutexLock lock(mutex_);
  while (!pending.answer && !closed_)
    changed_.wait(lock);
  if (pending.answer) return *pending.answer;
  return fail("the host is stopping");
}

void OperatorService::give(Pending& pending, Answer answer) {
  {
    const MutexLock lock(mutex_);
    pending.answer = std::move(answer);
  }
  changed_.notify_all();
}

void OperatorService::close() {
  {
    const MutexLock lock(mutex_);
    closed_ = true;
    waiting_.clear();
  }
  changed_.notify_all();
}

bool OperatorService::take_asked() {
  const MutexLock lock(mutex_);
  asked_.swap(waiting_);
  return !asked_.empty();
}

void OperatorService::obey(Time now) {
  for (auto& pending : std::exchange(asked_, {})) {
    const auto& name = pending->request.plugin;
    if (!name.empty() && files_called(name).empty()) {
      give(*pending, nothing_called(name));
      continue;
    }
    obey(*pending, now);
    at_work_.push_back(std::move(pending));
  }
}

void OperatorService::obey(Pending& pending, Time now) {
  using Kind = OperatorRequest::Kind;
  const auto& request = pending.request;
  for (const auto& file : files_called(request.plugin)) {
    auto& tracked = files_.files().at(file);
    OperatorOutcome outcome{.file = file, .is_configured = is_configured(file)};
    if (!request.component.empty()) {
      list(tracked, request, outcome);
    } else if (request.kind == Kind::disable) {
      disable(tracked, now, outcome);
    } else if (request.kind == Kind::enable && !tracked.enable()) {
      outcome.text = "it is not disabled" + words_for_disabled(tracked.disabled_components());
    } else if (!request.plugin.empty() || !tracked.is_disabled()) {
      const auto load = reload(tracked, now, outcome);
      if (load) pending.loads.emplace(*load, pending.outcomes.size());
    } else {
      continue;
    }
    pending.outcomes.push_back(std::move(outcome));
  }
}

std::optional<std::uint64_t> OperatorService::reload(TrackedFile& tracked, Time now, OperatorOutcome& outcome) {
  const auto decide = [&](bool good, std::string text) {
    outcome.good = good;
    outcome.text = std::move(text);
    return std::nullopt;
  };
  if (tracked.is_disabled()) return decide(false, "it is disabled; enable it");
  const auto& plugins = files_.last_scan().plugins;
  const auto file = std::ranges::find(plugins, outcome.file, &PluginFile::file);
  if (file == plugins.end()) return decide(false, "its file is gone");
  if (tracked.awaits_configuration(*file, now)) {
    return decide(true, "it is new and has no configuration; it is taken in a moment, if none follows");
  }
  if (const auto attempt = tracked.loading(*file)) return attempt;
  tracked.forget_taken();
  // Also asked for it is not loaded without in the moment in which somebody writes it.
  if (tracked.has_lost_configuration(*file)) {
    return decide(true, "its configuration " + configuration_file(file->file).string() +
                            " is missing just now; the file is taken when that is back, or stays away");
  }
  return files_.begin_load(tracked, *file, "the operator asked for it");
}

void OperatorService::load_ended(std::uint64_t attempt, const TrackedFile& tracked, bool good) {
  for (const auto& pending : at_work_) {
    const auto found = pending->loads.find(attempt);
    if (found == pending->loads.end()) continue;
    auto& outcome = pending->outcomes[found->second];
    pending->loads.erase(found);
    const auto* const serving = tracked.served().plugin.get();
    if (good) {
      outcome.text = "serving " + label(serving->identity());
    } else if (tracked.state() == TrackedFile::State::passed_over) {
      outcome.text = "it is no plugin, and by its name a library that plugins need";
    } else if (!tracked.taken() || tracked.refusal().empty()) {
      outcome.text = "its file changes just now, and is taken when it is still";
    } else {
      outcome.good = false;
      outcome.text =
          "refused: " + tracked.refusal() + (serving == nullptr ? "" : "; still serving " + label(serving->identity()));
    }
  }
}

void OperatorService::settle_dropped_loads(Pending& pending) const {
  std::erase_if(pending.loads, [&](const auto& load) {
    auto& outcome = pending.outcomes[load.second];
    const auto found = files_.files().find(outcome.file);
    if (found != files_.files().end() && found->second.is_loading(load.first)) return false;
    const bool disabled = found != files_.files().end() && found->second.is_disabled();
    outcome.good = !disabled && found != files_.files().end();
    outcome.text = disabled       ? "it was disabled meanwhile"
                   : outcome.good ? "its file changes just now, and is taken when it is still"
                                  : "its file is gone";
    return true;
  });
}

void OperatorService::answer() {
  std::erase_if(at_work_, [this](const auto& pending) {
    settle_dropped_loads(*pending);
    if (!pending->loads.empty()) return false;
    give(*pending, std::move(pending->outcomes));
    return true;
  });
}

void OperatorService::disable(TrackedFile& tracked, Time now, OperatorOutcome& outcome) {
  if (tracked.is_disabled()) {
    outcome.text = "it was disabled before";
    return;
  }
  auto say = [this, file = outcome.file.string()] { log_.warning("plugin disabled", {{"file", file}}); };
  // Clients hear no more that it crashed.
  if (tracked.is_quarantined()) files_.list_anew();
  const auto version = tracked.disable();
  outcome.text = "disabled";
  if (version.plugin == nullptr) return say();
  if (const auto calls = version.plugin->calls_in_flight(); calls > 0) {
    outcome.text += "; calls that still run: " + std::to_string(calls);
  }
  files_.drain(version, now);
  files_.say_when_published(std::move(say));
}

// Or does not, if it is to be disabled.
void OperatorService::list(TrackedFile& tracked, const OperatorRequest& request, OperatorOutcome& outcome) {
  const bool disables = request.kind == OperatorRequest::Kind::disable;
  const auto& name = request.component;
  const auto& components = tracked.served().components;
  // Of a version that comes later it may be, but more likely it is mistyped.
  if (disables && (components == nullptr || !has_component(*components, name))) {
    outcome.good = false;
    outcome.text = "it has no component \"" + name + '"';
    return;
  }
  const bool changes = disables ? tracked.disable_component(name) : tracked.enable_component(name);
  outcome.text = name + (disables  ? changes ? " disabled" : " was disabled before"
                         : changes ? " enabled"
                                   : " is not disabled");
  if (!changes) return;
  files_.list_anew();
  files_.say_when_published([this, file = outcome.file.string(), name, disables] {
    log_.warning(disables ? "component disabled" : "component enabled", {{"file", file}, {"component", name}});
  });
}

bool OperatorService::is_configured(const std::filesystem::path& file) const {
  const auto& plugins = files_.last_scan().plugins;
  const auto found = std::ranges::find(plugins, file, &PluginFile::file);
  return found != plugins.end() && found->is_configured;
}

std::vector<std::filesystem::path> OperatorService::files_called(const std::string& name) const {
  std::vector<std::filesystem::path> named;
  std::vector<std::filesystem::path> placed;
  for (const auto& [file, tracked] : files_.files()) {
    if (name.empty() || name_of(tracked) == name) named.push_back(file);
    const bool is_its_table = name == table_of_upstream(file) && is_configured(file);
    if (is_its_table || is_file_called(file, name)) placed.push_back(file);
  }
  return named.empty() ? placed : named;
}

Error OperatorService::nothing_called(const std::string& name) const {
  std::vector<KnownPlugin> known;
  for (const auto& [file, tracked] : files_.files())
    known.push_back({name_of(tracked).value_or(""), file});
  return fail("no plugin or upstream " + words_for_unknown_name(name, known));
}

OperatorService::Watched OperatorService::watched(const std::filesystem::path& file, const TrackedFile& tracked) {
  const auto& plugin = tracked.served().plugin;
  Watched watched{.report = {.file = absolute_path(file), .refusal = tracked.refusal()}, .plugin = plugin};
  auto& report = watched.report;
  if (plugin != nullptr) {
    report.identity = plugin->identity();
    report.components = tracked.listed().components;
    report.remarks = tracked.remarks;
    report.disabled_components.assign(tracked.disabled_components().begin(), tracked.disabled_components().end());
    return watched;
  }
  report.identity = tracked.withdrawn();
  report.status = tracked.status_at_withdrawal();
  report.state = tracked.is_disabled()      ? ReportedState::disabled
                 : tracked.is_quarantined() ? ReportedState::quarantined
                                            : ReportedState::refused;
  return watched;
}

void OperatorService::keep_report(const ScanResult& scan, const Publisher::Remarks& remarks) {
  std::vector<Watched> all;
  const auto add_remarks = [](PluginReport& report, const std::filesystem::path& file, const auto& of_files) {
    if (const auto found = of_files.find(file); found != of_files.end())
      report.remarks.insert(report.remarks.end(), found->second.begin(), found->second.end());
  };
  // Of each other file that would be a search in all of them.
  const auto is_of_configuration = [this](const std::filesystem::path& file) {
    return is_upstream_name(file) && is_configured(file);
  };
  for (const auto& [file, tracked] : files_.files()) {
    const bool is_new = tracked.served().plugin == nullptr && tracked.refusal().empty() && !tracked.is_disabled();
    if (is_new) continue;
    all.push_back(watched(file, tracked));
    all.back().report.is_configured = is_of_configuration(file);
    if (tracked.served().plugin == nullptr) continue;
    add_remarks(all.back().report, file, scan.remarks);
    add_remarks(all.back().report, file, remarks);
  }
  for (const auto& each : drainer_.draining()) {
    all.push_back({.report = {.file = absolute_path(each.identity.file),
                              .is_configured = is_of_configuration(each.identity.file),
                              .identity = each.identity,
                              .state = ReportedState::draining},
                   .plugin = each.plugin});
  }
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.report.file < b.report.file; });
  const MutexLock lock(mutex_);
  watched_ = std::move(all);
  problems_ = scan.problems;
}

FolderReport OperatorService::report() const {
  std::vector<Watched> all;
  FolderReport report;
  {
    const MutexLock lock(mutex_);
    all = watched_;
    report.problems = problems_;
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
