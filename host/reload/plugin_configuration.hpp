// NAME.json beside NAME.so: the plugin's own configuration, and in the same object a few members that are the host's.
#pragma once

#include <filesystem>
#include <string>

#include "plugin/plugin.hpp"
#include "plugin/restart_policy.hpp"
#include "plugin/sandbox.hpp"
#include "reload/file_trust.hpp"
#include "result.hpp"

namespace mcph {

// Where a plugin's code runs.
enum class Isolation {
  worker,     // in a process of its own
  in_process  // in the host's: the fastest, for code that is trusted like the host's own
};

struct PluginConfiguration {
  std::string own = "{}";  // a JSON object: what the plugin is given
  Isolation isolation = Isolation::worker;
  PluginLimits limits = {};
  RestartPolicy::Limits restarts = {};
  Sandbox sandbox = {};
};

// The file NAME.json that configures NAME.so.
std::filesystem::path configuration_file(const std::filesystem::path& plugin_file);

// What the file says; the defaults where it says nothing or is not there. It can take a plugin's bounds away, so it is
// trusted by the rules for the plugin itself. An error names the file and the member.
Result<PluginConfiguration> read_configuration(const std::filesystem::path& plugin_file, const FileTrust& trust,
                                               const PluginConfiguration& defaults);

}  // namespace mcph
