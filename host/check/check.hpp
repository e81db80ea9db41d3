// Checks a plugin as a host and its clients would use it, and worse: runs a list of named checks, each in a process of
// the plugin's own, so that a crash is a finding and not the end of the checker. Free functions and values; one thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "check/recorded_log.hpp"
#include "check/unload_probe.hpp"
#include "sources/folder/plugin_loader.hpp"

namespace mcph {

struct CheckOptions {
  std::chrono::milliseconds timeout{5000};  // for an answer, for what a cancellation asks for, and for a stop
  std::uint64_t seed = 1;                   // of the order of calls
  unsigned rounds = 3;                      // of what is repeated to see what grows
  std::set<std::string> only = {};          // names of checks; empty: all
  std::set<std::string> skip = {};          // likewise
  std::filesystem::path data = {};          // the folder of the plugin's data directory
  bool only_read_only = false;              // leaves out the tools without readOnlyHint
  // Is told of each check when it begins, and how many of how many are behind; may be empty.
  std::function<void(std::string_view check, std::size_t done, std::size_t all)> begins = {};
};

struct Finding {
  bool is_warning = false;
  std::string text;  // what, where, and what to do
};

enum class CheckStatus { passed, warning, failed, skipped };
// "passed" and so on.
std::string_view name_of(CheckStatus status);

struct CheckResult {
  std::string name;
  CheckStatus status = CheckStatus::passed;
  std::vector<Finding> findings = {};
  std::string note = {};  // why it was skipped, or what was left out
  std::chrono::milliseconds time{0};
};

struct CheckDescription {
  std::string_view name;
  std::string_view meaning;
};
// All checks, in the order in which they run.
std::vector<CheckDescription> check_descriptions();

// The loader and the log are those of one host, and outlive the call.
std::vector<CheckResult> check_plugin(const std::filesystem::path& file, PluginLoader& loader, RecordedLog& log,
                                      UnloadProbe probe, const CheckOptions& options);

}  // namespace mcph
