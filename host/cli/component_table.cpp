#include "cli/component_table.hpp"

#include <cstddef>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "cli/terminal_text.hpp"

namespace mcph {
namespace {

constexpr std::size_t kind_width = 10;  // in columns of a terminal, as the next
constexpr std::size_t key_width = 28;

template <class Component>
void print_lines(std::ostream& out, const char* kind, const std::vector<Component>& components) {
  for (const auto& component : components) {
    const auto description = OrderedJson::parse(component.json).value("description", "");
    out << "  " << padded(kind, kind_width) << padded(component_name(component), key_width) << " "
        << printable(description.substr(0, description.find('\n'))) << "\n";
  }
}

template <class Component>
OrderedJson all_json(const std::vector<Component>& components) {
  auto list = OrderedJson::array();
  for (const auto& component : components)
    list.push_back(OrderedJson::parse(component.json));
  return list;
}

}  // namespace

void print_components(std::ostream& out, const Components& components) {
  print_lines(out, "tool", components.tools);
  print_lines(out, "resource", components.resources);
  print_lines(out, "template", components.resource_templates);
  print_lines(out, "prompt", components.prompts);
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
