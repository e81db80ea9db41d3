// What plugins export, for a person at a terminal or for a script. Free functions.
#pragma once

#include <ostream>
#include <string>

#include <nlohmann/json.hpp>

#include "catalog/components.hpp"
#include "plugin/plugin.hpp"

namespace mcph {

// A line: kind, name or URI, and the first line of its description.
void print_component(std::ostream& out, const char* kind, const std::string& key, const std::string& description);

// Such a line a component.
void print_components(std::ostream& out, const Components& components);

// A line for each of what the plugin says of itself.
void print_about(std::ostream& out, const PluginAbout& about);

// {"file", "plugin", "version", "id"?, "vendor"?, "description"?, "url"?, "digest", "tools": [...], "resources": [...],
// ..., "aliases": {"other name": "own name"}?}
nlohmann::ordered_json components_json(const PluginIdentity& identity, const Components& components);

}  // namespace mcph
