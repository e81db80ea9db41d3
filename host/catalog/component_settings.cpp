#include "catalog/component_settings.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "base/json.hpp"
#include "base/json_text.hpp"
#include "base/similar_name.hpp"
#include "base/uri.hpp"
#include "catalog/components.hpp"
#include "plugin/names.hpp"

namespace mcph {
namespace {

using Alias = ComponentSettings::Alias;

template <class Component>
const Component* find_named(const std::vector<Component>& components, std::string_view key) {
  const auto found = std::ranges::find_if(components, [key](const auto& each) { return component_key(each) == key; });
  return found == components.end() ? nullptr : &*found;
}

template <class Component>
void append_names(std::vector<std::string>& names, const std::vector<Component>& components) {
  for (const auto& each : components)
    names.push_back(component_name(each));
}

std::string quoted_name(std::string_view text) {
  return '"' + std::string(text) + '"';
}

std::string words_for(std::string_view name) {
  return R"(has "aliases": {)" + quoted_name(name) + ": ...}, ";
}

// What may have been meant.
std::string hint_at(std::string_view name, const std::vector<std::string>& names) {
  const auto similar = similar_name(name, names);
  return similar.empty() ? "" : "; did you mean " + quoted_name(similar) + "?";
}

std::string renamed(std::string_view json, const char* field, std::string_view name) {
  auto object = read_ordered_json(json);
  object[field] = name;
  return dump(object);
}

// An answer that asks for payment is no result of the tool, and some clients hold each answer to the listed schema.
std::string without_output_schema(std::string_view json) {
  auto object = read_ordered_json(json);
  object.erase("outputSchema");
  return dump(object);
}

Tool alias_of(Tool tool, const std::string& name) {
  tool.json = renamed(tool.json, "name", name);
  tool.legacy_json = renamed(tool.legacy_json, "name", name);
  tool.alias_of = std::exchange(tool.name, name);
  return tool;
}

Prompt alias_of(Prompt prompt, const std::string& name) {
  prompt.json = renamed(prompt.json, "name", name);
  prompt.alias_of = std::exchange(prompt.name, name);
  return prompt;
}

Resource alias_of(Resource resource, const std::string& name) {
  const auto uri = encoded_uri(name).value_or(name);
  resource.json = renamed(resource.json, "uri", uri);
  resource.alias_of = std::exchange(resource.uri, uri);
  return resource;
}

template <class Component>
void add_alias(std::vector<Component>& components, const std::string& key, const std::string& name) {
  const auto* const original = find_named(components, key);
  if (original == nullptr) return;
  auto alias = alias_of(*original, name);
  if (find_named(components, component_key(alias)) == nullptr) components.push_back(std::move(alias));
}

template <class Component>
bool remove_named(std::vector<Component>& components, std::string_view key) {
  const auto is_called_so = [key](const auto& each) { return each.alias_of.empty() && component_key(each) == key; };
  return std::erase_if(components, is_called_so) > 0;
}

void add_prices(const ComponentSettings& settings, std::vector<Tool>& tools) {
  for (auto& tool : tools) {
    const auto price = settings.prices.find(tool.name);
    if (price == settings.prices.end()) continue;
    tool.price = price->second;
    tool.json = without_output_schema(tool.json);
    tool.legacy_json = without_output_schema(tool.legacy_json);
  }
}

// Nothing wrong with the name of an alias of such a component.
Result<> check_name(const std::string& name, bool of_tool, bool of_prompt, const Components& components) {
  if (of_tool && !is_component_name(name))
    return fail(words_for(name) + "which is no name for a tool: it must be 1 to 128 characters of A-Za-z0-9_.-");
  if (of_prompt && !is_prompt_name(name))
    return fail(words_for(name) +
                "which is no name for a prompt: it must be 1 to 128 bytes without control characters");
  if ((of_tool && find_named(components.tools, name) != nullptr) ||
      (of_prompt && find_named(components.prompts, name) != nullptr)) {
    return fail(words_for(name) + "but the plugin has " + quoted_name(name) + " itself; choose another name");
  }
  return {};
}

// The answer is a remark; empty: there is none.
Result<std::string> check_uri_alias(const std::string& name, const Alias& alias, const Components& components) {
  if (!is_absolute_uri(name) || !percent_decode(name))
    return fail(words_for(name) +
                R"(which must be an absolute URI such as "scheme://path", as what it is an alias of)");
  if (find_named(components.resources, normalized_uri(name)) != nullptr)
    return fail(words_for(name) + "but the plugin lists that resource itself; choose another URI");
  const auto key = normalized_uri(alias.of);
  if (find_named(components.resources, key) != nullptr) return std::string();
  if (find_named(components.resource_templates, key) != nullptr) {
    return fail(words_for(name) + "but " + quoted_name(alias.of) +
                " is a resource template; only tools, prompts and single resources have aliases");
  }
  std::vector<std::string> names;
  append_names(names, components.resources);
  return "the alias " + quoted_name(name) + " waits: the plugin lists no resource " + quoted_name(alias.of) + " now" +
         hint_at(alias.of, names);
}

Result<std::string> check_alias(const std::string& name, const Alias& alias, const Components& components) {
  const bool of_tool = find_named(components.tools, alias.of) != nullptr;
  const bool of_prompt = find_named(components.prompts, alias.of) != nullptr;
  if (of_tool || of_prompt) {
    if (auto checked = check_name(name, of_tool, of_prompt, components); checked.has_error()) return checked.error();
    return std::string();
  }
  if (is_absolute_uri(alias.of)) return check_uri_alias(name, alias, components);
  std::vector<std::string> names;
  append_names(names, components.tools);
  append_names(names, components.prompts);
  return fail(words_for(name) + "but the plugin has no tool, prompt or resource " + quoted_name(alias.of) +
              hint_at(alias.of, names));
}

Result<> check_price(const std::string& tool, const ComponentSettings& settings, const Components& components) {
  if (find_named(components.tools, tool) != nullptr) return {};
  const auto where = R"(has "payment": {"tools": {)" + quoted_name(tool) + "}}, but ";
  if (const auto alias = settings.aliases.find(tool); alias != settings.aliases.end())
    return fail(where + "that is an alias: give the price of " + quoted_name(alias->second.of) +
                ", which counts for both");
  std::vector<std::string> names;
  append_names(names, components.tools);
  return fail(where + "the plugin has no such tool" + hint_at(tool, names));
}

}  // namespace

std::vector<std::string> ComponentSettings::other_uris(std::string_view uri) const {
  std::vector<std::string> uris;
  if (aliases.empty()) return uris;
  const auto key = normalized_uri(uri);
  for (const auto& [name, alias] : aliases) {
    if (normalized_uri(alias.of) == key) uris.push_back(encoded_uri(name).value_or(name));
  }
  return uris;
}

std::map<std::string, std::string> aliases_in(const Components& components) {
  std::map<std::string, std::string> aliases;
  const auto add = [&aliases](const auto& all) {
    for (const auto& each : all) {
      if (!each.alias_of.empty()) aliases.emplace(component_name(each), each.alias_of);
    }
  };
  add(components.tools);
  add(components.resources);
  add(components.prompts);
  return aliases;
}

Result<std::vector<std::string>> check_settings(const ComponentSettings& settings, const Components& components) {
  std::vector<std::string> remarks;
  std::set<std::string> uris;
  for (const auto& [name, alias] : settings.aliases) {
    auto checked = check_alias(name, alias, components);
    if (checked.has_error()) return checked.error();
    if (!checked->empty()) remarks.push_back(*std::move(checked));
    if (is_absolute_uri(name) && !uris.insert(normalized_uri(name)).second)
      return fail(words_for(name) + "and the same URI written otherwise; keep one of them");
  }
  for (const auto& [tool, price] : settings.prices) {
    if (auto checked = check_price(tool, settings, components); checked.has_error()) return checked.error();
  }
  return remarks;
}

Components with_settings(Components components, const std::shared_ptr<const ComponentSettings>& settings) {
  if (settings == nullptr || settings->empty()) return components;
  // The prices first: an alias costs what its tool costs.
  add_prices(*settings, components.tools);
  for (const auto& [name, alias] : settings->aliases) {
    add_alias(components.tools, alias.of, name);
    add_alias(components.prompts, alias.of, name);
    add_alias(components.resources, normalized_uri(alias.of), name);
  }
  for (const auto& [name, alias] : settings->aliases) {
    if (!alias.replaces_it) continue;
    remove_named(components.tools, alias.of);
    remove_named(components.prompts, alias.of);
    const auto key = normalized_uri(alias.of);
    if (remove_named(components.resources, key)) components.withheld.insert(key);
  }
  components.settings = settings;
  return components;
}

}  // namespace mcph
