// NAME.json beside NAME.so: the plugin's own configuration, and in the same object a few members that are the host's.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.hpp"
#include "catalog/component_settings.hpp"
#include "plugin/plugin.hpp"
#include "plugin/restart_policy.hpp"
#include "plugin/sandbox.hpp"
#include "sources/folder/component_scan.hpp"
#include "sources/folder/file_trust.hpp"

namespace mcph {

// Where a plugin's code runs.
enum class Isolation {
  worker,              // in a process of its own
  in_process,          // in the host's: the fastest, for code that is trusted like the host's own
  in_process_resident  // likewise, also what can never be unloaded: each version stays until the host ends
};

inline constexpr std::array<std::pair<std::string_view, Isolation>, 3> isolations{{
    {"worker", Isolation::worker},
    {"in-process", Isolation::in_process},
    {"in-process-resident", Isolation::in_process_resident},
}};

inline constexpr std::array<std::pair<std::string_view, ErrorTexts>, 2> error_texts{{
    {"shown", ErrorTexts::shown},
    {"masked", ErrorTexts::masked},
}};

struct PluginConfiguration {
  std::string own = "{}";  // a JSON object: what the plugin is given
  Isolation isolation = Isolation::worker;
  PluginLimits limits = {};
  RestartPolicy::Limits restarts = {};
  Sandbox sandbox = {};
  ErrorTexts errors = ErrorTexts::shown;
  std::shared_ptr<const ComponentSettings> components = {};  // null: nothing is said of them
};

// What the plugin's configuration says; the defaults where it says nothing or is not there. It can take a plugin's
// bounds away, so it is trusted by the rules for the plugin itself, and it must be what was found when the plugin was
// looked at: one that comes, goes or changes meanwhile is an error. An error names the file and the member.
Result<PluginConfiguration> read_configuration(const PluginFile& plugin, const FileTrust& trust,
                                               const PluginConfiguration& defaults);

// Of a text that has been read already. An error continues the name of what it is from.
Result<PluginConfiguration> parse_configuration(std::string text, const PluginConfiguration& defaults);

}  // namespace mcph
