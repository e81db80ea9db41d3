// What one plugin exports, read from its components document and checked: MCP's required fields, names, schemas, URI
// templates. Immutable once made, so that every catalog that serves this plugin version shares it.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "catalog/component_settings.hpp"
#include "catalog/parameter_headers.hpp"
#include "catalog/uri_template.hpp"
#include "plugin/added_capabilities.hpp"
#include "schema/schema.hpp"

namespace mcph {

// What a tool's execution.taskSupport says (MCP 2025-11-25, server/tools): whether a call of it may become a task.
enum class TaskSupport { undeclared, optional, required, forbidden };

// `json` of a component is what its plugin described, rendered once. `alias_of` is what the plugin calls it where the
// operator has given it another name; empty: this is its own.
struct Tool {
  std::string name;
  Schema input_schema;
  std::optional<Schema> output_schema;
  std::string json;
  // The same as revisions before 2026-07-28 have it: without an outputSchema whose root is not an object, and without
  // properties whose schema is true or false.
  std::string legacy_json;
  std::vector<ParameterHeader> parameter_headers = {};
  TaskSupport task_support = TaskSupport::undeclared;
  bool read_only = false;  // as it says of itself
  std::set<std::string, std::less<>> tags = {};
  std::optional<std::chrono::milliseconds> time_limit = {};  // of a call
  std::string alias_of = {};
  std::shared_ptr<const Price> price = {};  // of a call; null: it is free
};

struct Resource {
  std::string uri;  // as clients read it: what a URI cannot have is percent-encoded
  std::string name;
  std::string json;
  std::string original_uri;  // as the plugin wrote it, and is asked for it
  std::string alias_of = {};
};

struct ResourceTemplate {
  UriTemplate uri_template;
  std::string name;
  std::string json;
  bool completes = false;  // its plugin wants to be asked for the values of its variables
};

struct Prompt {
  std::string name;
  std::vector<std::string> required_arguments;
  std::string json;
  std::vector<std::string> arguments = {};  // all of them
  bool completes = false;                   // its plugin wants to be asked for their values
  std::string alias_of = {};
};

struct Components {
  std::vector<Tool> tools;
  std::vector<Resource> resources;
  std::vector<ResourceTemplate> resource_templates;
  std::vector<Prompt> prompts;
  std::string instructions;
  AddedCapabilities capabilities = {};
  // Keys of resources that the plugin has and that are not served: no template stands for them either.
  std::set<std::string, std::less<>> withheld = {};
  std::shared_ptr<const ComponentSettings> settings = {};  // that have been applied, for a later description; or null

  std::size_t size() const { return tools.size() + resources.size() + resource_templates.size() + prompts.size(); }
};

// What clients call it: a tool's or prompt's name, a resource's URI, a template's text.
std::string component_name(const Tool& tool);
std::string component_name(const Resource& resource);
std::string component_name(const ResourceTemplate& resource_template);
std::string component_name(const Prompt& prompt);
std::string component_name(const Capability& capability);

// What it is found by, which is the same for all ways to write one URI. No two of a kind are served with the same.
std::string component_key(const Tool& tool);
std::string component_key(const Resource& resource);
std::string component_key(const ResourceTemplate& resource_template);
std::string component_key(const Prompt& prompt);
std::string component_key(const Capability& capability);

bool has_component(const Components& components, std::string_view name);
// All but what is called so, of whatever kind.
Components without(const Components& components, const std::set<std::string, std::less<>>& names);

// What there is room for in the description of one plugin, where that is not in proportion to its text.
struct DescriptionRoom {
  std::size_t pattern_bytes = Schema::max_pattern_bytes;  // of the patterns of all its schemas
  std::size_t template_bytes = std::size_t{32} << 10;     // of its URI templates, because a URI is matched with each
};

// The error names the component and the field: "tools[2] \"add\": inputSchema/properties/a/type: ...".
Result<Components> parse_components(std::string_view document);
// The same for a part of a description, which takes of the room what it needs.
Result<Components> parse_components(std::string_view document, DescriptionRoom& room);

}  // namespace mcph
