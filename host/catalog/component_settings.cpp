#include "catalog/component_settings.hpp"

#include <cstddef>
#include <functional>
#include <map>
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

using ComponentKeys = std::set<std::string, std::less<>>;

template <class Component>
ComponentKeys keys_of(const std::vector<Component>& components) {
  ComponentKeys keys;
  for (const auto& each : components)
    keys.insert(component_key(each));
  return keys;
}

// What a plugin has. A file may have a thousand aliases, and a plugin many thousand components, so none is compared
// with all others.
struct KnownKeys {
  explicit KnownKeys(const Components& components)
      : tools(keys_of(components.tools)),
        prompts(keys_of(components.prompts)),
        resources(keys_of(components.resources)),
        resource_templates(keys_of(components.resource_templates)) {}

  ComponentKeys tools;
  ComponentKeys prompts;
  ComponentKeys resources;
  ComponentKeys resource_templates;
};

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

std::string same_name(const std::string& name) {
  return name;
}
std::string same_uri(const std::string& uri) {
  return normalized_uri(uri);
}

// `key_of` is what `component_key` makes of a name of that kind.
template <class Component>
void add_aliases(std::vector<Component>& components, const ComponentSettings& settings,
                 std::string (*key_of)(const std::string& name)) {
  std::map<std::string, std::size_t> places;
  for (std::size_t i = 0; i < components.size(); ++i)
    places.emplace(component_key(components[i]), i);
  for (const auto& [name, alias] : settings.aliases) {
    const auto original = places.find(key_of(alias.of));
    if (original == places.end()) continue;
    auto added = alias_of(components[original->second], name);
    if (places.emplace(component_key(added), components.size()).second) components.push_back(std::move(added));
  }
}

// Likewise. Returns the keys of what has been there.
template <class Component>
ComponentKeys remove_replaced(std::vector<Component>& components, const ComponentSettings& settings,
                              std::string (*key_of)(const std::string& name)) {
  ComponentKeys replaced;
  for (const auto& [name, alias] : settings.aliases) {
    if (alias.replaces_it) replaced.insert(key_of(alias.of));
  }
  ComponentKeys removed;
  std::erase_if(components, [&](const Component& each) {
    auto key = component_key(each);
    if (!each.alias_of.empty() || !replaced.contains(key)) return false;
    removed.insert(std::move(key));
    return true;
  });
  return removed;
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
Result<> check_name(const std::string& name, bool of_tool, bool of_prompt, const KnownKeys& known) {
  if (of_tool && !is_component_name(name))
    return fail(words_for(name) + "which is no name for a tool: it must be 1 to 128 characters of A-Za-z0-9_.-");
  if (of_prompt && !is_prompt_name(name))
    return fail(words_for(name) +
                "which is no name for a prompt: it must be 1 to 128 bytes without control characters");
  if ((of_tool && known.tools.contains(name)) || (of_prompt && known.prompts.contains(name))) {
    return fail(words_for(name) + "but the plugin has " + quoted_name(name) + " itself; choose another name");
  }
  return {};
}

// The answer is a remark; empty: there is none.
Result<std::string> check_uri_alias(const std::string& name, const Alias& alias, const Components& components,
                                    const KnownKeys& known) {
  if (!is_absolute_uri(name) || !percent_decode(name))
    return fail(words_for(name) +
                R"(which must be an absolute URI such as "scheme://path", as what it is an alias of)");
  if (known.resources.contains(normalized_uri(name)))
    return fail(words_for(name) + "but the plugin lists that resource itself; choose another URI");
  const auto key = normalized_uri(alias.of);
  if (known.resources.contains(key)) return std::string();
  if (known.resource_templates.contains(key)) {
    return fail(words_for(name) + "but " + quoted_name(alias.of) +
                " is a resource template; only tools, prompts and single resources have aliases");
  }
  std::vector<std::string> names;
  append_names(names, components.resources);
  return "the alias " + quoted_name(name) + " waits: the plugin lists no resource " + quoted_name(alias.of) + " now" +
         hint_at(alias.of, names);
}

Result<std::string> check_alias(const std::string& name, const Alias& alias, const Components& components,
                                const KnownKeys& known) {
  const bool of_tool = known.tools.contains(alias.of);
  const bool of_prompt = known.prompts.contains(alias.of);
  if (of_tool || of_prompt) {
    if (auto checked = check_name(name, of_tool, of_prompt, known); checked.has_error()) return checked.error();
    return std::string();
  }
  if (is_absolute_uri(alias.of)) return check_uri_alias(name, alias, components, known);
  std::vector<std::string> names;
  append_names(names, components.tools);
  append_names(names, components.prompts);
  return fail(words_for(name) + "but the plugin has no tool, prompt or resource " + quoted_name(alias.of) +
              hint_at(alias.of, names));
}

Result<> check_price(const std::string& tool, const ComponentSettings& settings, const Components& components,
                     const KnownKeys& known) {
  if (known.tools.contains(tool)) return {};
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
  const KnownKeys known(components);
  std::vector<std::string> remarks;
  ComponentKeys uris;
  for (const auto& [name, alias] : settings.aliases) {
    auto checked = check_alias(name, alias, components, known);
    if (checked.has_error()) return checked.error();
    if (!checked->empty()) remarks.push_back(*std::move(checked));
    if (is_absolute_uri(name) && !uris.insert(normalized_uri(name)).second)
      return fail(words_for(name) + "and the same URI written otherwise; keep one of them");
  }
  for (const auto& [tool, price] : settings.prices) {
    if (auto checked = check_price(tool, settings, components, known); checked.has_error()) return checked.error();
  }
  return remarks;
}

Components with_settings(Components components, const std::shared_ptr<const ComponentSettings>& settings) {
  if (settings == nullptr || settings->empty()) return components;
  // The prices first: an alias costs what its tool costs.
  add_prices(*settings, components.tools);
  add_aliases(components.tools, *settings, same_name);
  add_aliases(components.prompts, *settings, same_name);
  add_aliases(components.resources, *settings, same_uri);
  remove_replaced(components.tools, *settings, same_name);
  remove_replaced(components.prompts, *settings, same_name);
  components.withheld.merge(remove_replaced(components.resources, *settings, same_uri));
  components.settings = settings;
  return components;
}

}  // namespace mcph
