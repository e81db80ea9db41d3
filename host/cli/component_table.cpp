#include "cli/component_table.hpp"

#include <array>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "base/json.hpp"
#include "base/json_text.hpp"
#include "cli/terminal_text.hpp"

namespace mcph {
namespace {

constexpr std::size_t kind_width = 10;  // in columns of a terminal, as the next
constexpr std::size_t key_width = 28;

std::string alias_words(const ResourceTemplate&) {
  return {};
}
template <class Component>
std::string alias_words(const Component& component) {
  return component.alias_of.empty() ? "" : "(alias of " + component.alias_of + ") ";
}

template <class Component>
void print_lines(std::ostream& out, const char* kind, const std::vector<Component>& components) {
  for (const auto& component : components) {
    print_component(out, kind, component_name(component),
                    alias_words(component) + read_ordered_json(component.json).value("description", ""));
  }
}

template <class Component>
OrderedJson all_json(const std::vector<Component>& components) {
  auto list = OrderedJson::array();
  for (const auto& component : components)
    list.push_back(read_ordered_json(component.json));
  return list;
}

void print_capabilities(std::ostream& out, const char* kind, const std::vector<Capability>& capabilities) {
  for (const auto& [name, json] : capabilities)
    out << "  " << padded(std::string(kind) + " ", kind_width) << padded(name, key_width) << " " << printable(json)
        << "\n";
}

OrderedJson capabilities_json(const AddedCapabilities& added) {
  auto object = OrderedJson::object();
  for (const auto& [name, json] : added.extensions)
    object["extensions"][name] = read_ordered_json(json);
  for (const auto& [name, json] : added.experimental)
    object["experimental"][name] = read_ordered_json(json);
  return object;
}

std::array<std::pair<const char*, std::string>, 4> texts_of(const PluginAbout& about) {
  return {{{"id", about.id}, {"vendor", about.vendor}, {"description", about.description}, {"url", about.url}}};
}

}  // namespace

void print_component(std::ostream& out, const char* kind, const std::string& key, const std::string& description) {
  out << "  " << padded(std::string(kind) + " ", kind_width) << padded(key, key_width) << " "
      << printable(description.substr(0, description.find('\n'))) << "\n";
}

void print_components(std::ostream& out, const Components& components) {
  print_lines(out, "tool", components.tools);
  print_lines(out, "resource", components.resources);
  print_lines(out, "template", components.resource_templates);
  print_lines(out, "prompt", components.prompts);
  print_capabilities(out, "extension", components.capabilities.extensions);
  print_capabilities(out, "experimental", components.capabilities.experimental);
}

void print_about(std::ostream& out, const PluginAbout& about) {
  for (const auto& [name, text] : texts_of(about)) {
    if (!text.empty()) out << "  " << name << ": " << printable(text) << "\n";
  }
}

nlohmann::ordered_json components_json(const PluginIdentity& identity, const Components& components) {
  OrderedJson object{{"file", identity.file.string()}, {"plugin", identity.name}, {"version", identity.version}};
  for (const auto& [name, text] : texts_of(identity.about)) {
    if (!text.empty()) object[name] = text;
  }
  object["digest"] = identity.digest;
  object["tools"] = all_json(components.tools);
  object["resources"] = all_json(components.resources);
  object["resourceTemplates"] = all_json(components.resource_templates);
  object["prompts"] = all_json(components.prompts);
  if (auto capabilities = capabilities_json(components.capabilities); !capabilities.empty())
    object["capabilities"] = std::move(capabilities);
  if (const auto aliases = aliases_in(components); !aliases.empty()) object["aliases"] = aliases;
  return object;
}

}  // namespace mcph
