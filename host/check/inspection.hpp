// One check of one plugin, all its named checks: what they share while they run. Owned by check_plugin; one thread.
#pragma once

#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "check/check.hpp"
#include "check/plugin_version.hpp"

namespace mcph {

// What a check says of itself while it runs.
class CheckReport {
 public:
  explicit CheckReport(CheckResult& result) : result_(result) {}

  void fail(std::string text) { result_.findings.push_back({false, std::move(text)}); }
  void warn(std::string text) { result_.findings.push_back({true, std::move(text)}); }
  // There was nothing to check, and why.
  void skip(std::string why) {
    result_.status = CheckStatus::skipped;
    result_.note = std::move(why);
  }
  void note(std::string text) { result_.note = std::move(text); }

 private:
  CheckResult& result_;
};

struct Inspection {
  const CheckedPlugin& plugin;
  RecordedLog& log;
  UnloadProbe& probe;
  const CheckOptions& options;

  std::shared_ptr<const Components> components = {};  // null: it cannot be loaded
  std::chrono::milliseconds start_time{0};
  std::vector<ExampleCall> calls = {};          // those that are right, one a component
  std::vector<std::string> left_out = {};       // tools of which none could be made, or that are not to be called
  std::set<std::string> broken = {};            // the words of components that other checks do not call again
  std::unique_ptr<PluginVersion> version = {};  // that checks use until it is spoilt
  std::vector<std::string> misbehaviour = {};   // of which the host's log has told, with the check's name

  // A version that is well. Null: it cannot be loaded, which has been reported.
  PluginVersion* usable(CheckReport& report);
  // Reports what is wrong with it; the component is not called again by other checks.
  void judge(const ExampleCall& call, const Asked& asked, const std::string& with, CheckReport& report);
  bool is_broken(const ExampleCall& call) const { return broken.contains(call.words); }
  // Those of that method that are not broken.
  std::vector<ExampleCall> calls_of(PluginMethod method) const;
  std::vector<ExampleCall> sound_calls() const;
};

// What a client could ask of these components, one call for each; `ask_completion` gives values of an argument, or
// none.
struct ExampleCalls {
  std::vector<ExampleCall> calls;
  std::vector<std::string> left_out;
};
ExampleCalls example_calls(PluginVersion& version, bool only_read_only);

struct Check {
  std::string_view name;
  std::string_view meaning;
  void (*run)(Inspection& inspection, CheckReport& report);
};
std::span<const Check> library_checks();
std::span<const Check> description_checks();
std::span<const Check> call_checks();
std::span<const Check> argument_checks();
std::span<const Check> question_checks();
std::span<const Check> life_checks();
std::span<const Check> growth_checks();

}  // namespace mcph
