// What there is to say of one plugin when somebody opens its row: what it has, what an author should know of it, how
// near it is to its limits, its configuration without secrets, and what became of its versions. A free function; any
// thread.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "dashboard/plugin_history.hpp"
#include "dashboard/recent_calls.hpp"
#include "sources/folder/plugin_report.hpp"

namespace mcph {

// A JSON object. Asks the system about the plugin's process, and reads its configuration for those who may see it,
// because what is no secret by its name may be one. Nothing: the report has no such file.
std::optional<std::string> plugin_details(const FolderReport& report, const std::string& file,
                                          const PluginHistory& past, const RecentCalls& calls, bool with_configuration);

// The same value with dots in place of what a secret may be: members, options and parameters that are called so, all
// variables and headers, and passwords in URLs.
nlohmann::ordered_json without_secrets(const nlohmann::ordered_json& configuration);

}  // namespace mcph
