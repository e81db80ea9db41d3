// One check of one plugin, all its named checks: what they share while they run. Owned by check_plugin; one thread.
#pragma once

#include <map>
#include <memory>
#include <optional>
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

// What the process of the plugin has after each of equally many calls.
struct Growth {
  std::size_t calls_each = 0;
  std::vector<std::size_t> threads = {};
  std::vector<std::size_t> descriptors = {};
  std::vector<std::size_t> memory = {};  // bytes that are the process's own
  std::string why_not = {};              // it could not be measured; empty: it was
};

struct Inspection {
  const CheckedPlugin& plugin;
  RecordedLog& log;
  UnloadProbe& probe;
  const CheckOptions& options;
  std::string_view check = {};  // the name of the one that runs

  std::shared_ptr<const Components> components = {};  // null: it cannot be loaded
  std::vector<ExampleCall> calls = {};                // those that are right, one a component
  std::vector<std::string> left_out = {};             // tools of which none could be made, or that are not to be called
  std::set<std::string> broken = {};                  // the words of components that other checks do not call again
  std::unique_ptr<PluginVersion> version = {};        // that checks use until it is spoilt
  std::set<std::string> askers = {};                  // the words of those whose calls ask the client
  bool has_asked = false;                             // any of the calls, of whose progress it has been heard then
  std::map<std::string, std::string> progress_mistakes = {};  // by the words of the component
  std::optional<Growth> growth = {};
  std::optional<ProbeReport> probed = {};
  bool stops_badly = false;                    // which has been told, and is not waited for again
  std::string crashed_at = {};                 // a line of its source, or FILE+OFFSET: where it crashed last
  std::string stopped_at = {};                 // likewise: where it was when its stop failed
  std::vector<std::string> misbehaviour = {};  // of which the host's log has told, with the check's name
  // What the API for C++ has told there, and during which check first.
  std::map<std::string, std::string> carelessness = {};

  // A version that is well. Null: it cannot be loaded, which has been reported.
  PluginVersion* usable(CheckReport& report);
  // Reports what is wrong with it; the component is not called again by other checks.
  void judge(const ExampleCall& call, const Asked& asked, const std::string& with, CheckReport& report);
  // Where in its file it crashed, or hangs, in words that follow a mistake; empty: that is not known.
  std::string place_of(const Asked& asked);
  bool is_broken(const ExampleCall& call) const { return broken.contains(call.words); }
  // Those of that method that are not broken.
  std::vector<ExampleCall> calls_of(PluginMethod method) const;
  std::vector<ExampleCall> sound_calls() const;
  // Keeps what the log has said; what it said of that event, if it did.
  std::string take_log(std::string_view event = {}, std::string_view field = {});
};

// Words that follow a mistake; empty: the place is not known.
std::string words_for_place(const std::string& place);

// What a client could ask of these components, one call for each, with the values that the plugin proposes.
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
std::span<const Check> unload_checks();
std::span<const Check> contract_checks();

}  // namespace mcph
