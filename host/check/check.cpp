#include "check/check.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/utf8.hpp"
#include "check/inspection.hpp"
#include "telemetry/log_events.hpp"

namespace mcph {
namespace {

std::vector<Check> all_checks() {
  std::vector<Check> all;
  for (const auto checks : {library_checks(), description_checks(), call_checks(), argument_checks(), question_checks(),
                            life_checks(), growth_checks(), unload_checks(), contract_checks()})
    all.insert(all.end(), checks.begin(), checks.end());
  return all;
}

bool is_wanted(const Check& check, const CheckOptions& options) {
  const std::string name(check.name);
  return !options.skip.contains(name) && (options.only.empty() || options.only.contains(name));
}

CheckResult run_check(const Check& check, Inspection& inspection) {
  CheckResult result{.name = std::string(check.name)};
  CheckReport report(result);
  const auto began = std::chrono::steady_clock::now();
  check.run(inspection, report);
  result.time = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - began);
  if (result.findings.empty()) return result;
  const bool only_warnings = std::ranges::all_of(result.findings, &Finding::is_warning);
  result.status = only_warnings ? CheckStatus::warning : CheckStatus::failed;
  return result;
}

CheckResult skipped(const Check& check, std::string why) {
  return {.name = std::string(check.name), .status = CheckStatus::skipped, .note = std::move(why)};
}

// A line that a sanitizer prints first of what it has found.
bool is_of_sanitizer(std::string_view line) {
  const auto has = [&](std::string_view part) { return line.find(part) != std::string_view::npos; };
  return has(": runtime error: ") || (has("Sanitizer: ") && (has("ERROR: ") || has("WARNING: ")));
}

// A record in which the API for C++ tells of a mistake in the code that it calls, and that it has covered up.
bool is_of_api(std::string_view text) {
  const auto has = [&](std::string_view part) { return text.find(part) != std::string_view::npos; };
  return has(" answers with the character U+FFFD, ") || has(" threw something that is not a std::exception");
}

}  // namespace

std::string_view name_of(CheckStatus status) {
  constexpr std::array<std::string_view, 4> names{"passed", "warning", "failed", "skipped"};
  return names.at(static_cast<std::size_t>(status));
}

std::vector<CheckDescription> check_descriptions() {
  std::vector<CheckDescription> all;
  for (const auto& check : all_checks())
    all.push_back({check.name, check.meaning});
  return all;
}

std::vector<CheckResult> check_plugin(const std::filesystem::path& file, PluginLoader& loader, RecordedLog& log,
                                      UnloadProbe probe, const CheckOptions& options) {
  const CheckedPlugin plugin(file, loader, options);
  Inspection inspection{.plugin = plugin, .log = log, .probe = probe, .options = options};
  std::vector<CheckResult> results;
  const auto checks = all_checks();
  for (std::size_t done = 0; done < checks.size(); ++done) {
    const auto& check = checks[done];
    // What is found there is what the others need.
    const bool is_first = results.empty();
    if (!is_first && !is_wanted(check, options)) continue;
    if (!is_first && inspection.components == nullptr) {
      results.push_back(skipped(check, "the plugin cannot be loaded"));
      continue;
    }
    inspection.check = check.name;
    if (options.begins) options.begins(check.name, done, checks.size());
    results.push_back(run_check(check, inspection));
    inspection.take_log();
  }
  return results;
}

std::string Inspection::take_log(std::string_view event, std::string_view field) {
  const auto when = " (while \"" + std::string(check) + "\" was checked)";
  std::string said;
  for (const auto& entry : log.take()) {
    const auto text = entry.field("text");
    if (entry.event == event) said = entry.field(field);
    const auto at = entry.field("at") == "unknown" ? "" : entry.field("at");
    if (entry.event == plugin_crashed) crashed_at = at;
    if (entry.event == plugin_stopped_badly) stopped_at = at;
    if (entry.event == plugin_output && is_of_sanitizer(text))
      misbehaviour.push_back("it printed \"" + text + '"' + when);
    if (entry.event == "plugin says" && is_of_api(text)) carelessness.emplace(text, when);
    if (entry.event == "plugin misbehaved") {
      misbehaviour.push_back(entry.field("reason") + when +
                             "; complete each call once, and let no exception out of a function of the contract");
    }
    if (entry.event == "plugin left processes") {
      misbehaviour.push_back("it left " + entry.field("processes") + " processes behind" + when +
                             "; end what it has started in stop");
    }
  }
  return said;
}

std::string Inspection::place_of(const Asked& asked) {
  if (asked.ended && !asked.in_stead) return {};
  crashed_at.clear();
  stopped_at.clear();
  take_log();
  // One that hangs has been ended, and tells where.
  return words_for_place(asked.in_stead ? crashed_at : stopped_at);
}

std::string words_for_place(const std::string& place) {
  if (place.empty()) return {};
  return "; it was at " + place +
         (place.find("+0x") == std::string::npos ? "" : ", of which mcp-plugin-host symbolize tells function and line");
}

PluginVersion* Inspection::usable(CheckReport& report) {
  if (version != nullptr && !version->is_spoilt()) return version.get();
  version = nullptr;
  auto loaded = plugin.load();
  if (loaded.has_error()) {
    report.fail("it cannot be loaded once more: " + loaded.error().message);
    return nullptr;
  }
  version = *std::move(loaded);
  return version.get();
}

void Inspection::judge(const ExampleCall& call, const Asked& asked, const std::string& with, CheckReport& report) {
  has_asked = true;
  if (asked.questions > 0) askers.insert(call.words);
  if (!asked.progress_mistake.empty()) progress_mistakes[call.words] = asked.progress_mistake;
  if (asked.mistake.empty()) return;
  constexpr std::size_t most = 300;
  const auto shown = with.size() > most ? std::string(utf8_prefix(with, most)) + "..." : with;
  report.fail(call.words + ", called with " + shown + ": " + asked.mistake + place_of(asked));
  broken.insert(call.words);
}

std::vector<ExampleCall> Inspection::calls_of(PluginMethod method) const {
  std::vector<ExampleCall> some;
  std::ranges::copy_if(calls, std::back_inserter(some),
                       [&](const ExampleCall& call) { return call.method == method && !is_broken(call); });
  return some;
}

std::vector<ExampleCall> Inspection::sound_calls() const {
  std::vector<ExampleCall> some;
  std::ranges::copy_if(calls, std::back_inserter(some), [&](const ExampleCall& call) { return !is_broken(call); });
  return some;
}

}  // namespace mcph
