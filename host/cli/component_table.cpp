#include "cli/component_table.hpp"

#include <iomanip>
#include <string>
#include <string_view>

namespace mcph {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kind_width = 10;
constexpr int key_width = 28;

void print_line(std::ostream& out, std::string_view kind, std::string_view key, const std::string& json) {
  const auto description = Json::parse(json).value("description", "");
  out << "  " << std::left << std::setw(kind_width) << kind << std::setw(key_width) << key << " "
      << description.substr(0, description.find('\n')) << "\n";
}

template <class Component>
Json all_json(const std::vector<Component>& components) {
  auto list = Json::array();
  for (const auto& component : components)
    list.push_back(Json::parse(component.json));
  return list;
}

}  // namespace

void print_components(std::ostream& out, const Components& components) {
  for (const auto& tool : components.tools)
    print_line(out, "tool", tool.name, tool.json);
  for (const auto& resource : components.resources)
    print_line(out, "resource", resource.uri, resource.json);
  for (const auto& resource_template : components.resource_templates)
    print_line(out, "template", resource_template.uri_template.text(), resource_template.json);
  for (const auto& prompt : components.prompts)
    print_line(out, "prompt", prompt.name, prompt.json);
}

nlohmann::ordered_json components_json(const PluginIdentity& identity, const Components& components) {
  return {{"file", identity.file.string()},
          {"plugin", identity.name},
          {"version", identity.version},
          {"digest", identity.digest},
          {"tools", all_json(components.tools)},
          {"resources", all_json(components.resources)},
          {"resourceTemplates", all_json(components.resource_templates)},
          {"prompts", all_json(components.prompts)}};
}

}  // namespace mcph
