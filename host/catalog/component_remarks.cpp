#include "catalog/component_remarks.hpp"

#include <algorithm>
#include <set>
#include <string_view>

#include "base/ascii.hpp"
#include "base/date_time.hpp"
#include "base/json.hpp"
#include "base/json_text.hpp"
#include "base/uri.hpp"
#include "base/utf8.hpp"
#include "catalog/compared_uri.hpp"

namespace mcph {
namespace {

const OrderedJson* member(const OrderedJson* object, const char* name) {
  return object != nullptr && object->is_object() && object->contains(name) ? &object->at(name) : nullptr;
}

// As a list in words.
std::string arguments_without_description(const OrderedJson& component) {
  std::string names;
  const auto look_at = [&names](const std::string& name, const OrderedJson& argument) {
    // One that is described elsewhere may have its description there.
    if (!argument.is_object() || argument.contains("description") || argument.contains("$ref")) return;
    names += (names.empty() ? "\"" : ", \"") + name + '"';
  };
  const auto* properties = member(member(&component, "inputSchema"), "properties");
  if (properties != nullptr && properties->is_object()) {
    for (const auto& [name, schema] : properties->items())
      look_at(name, schema);
  }
  if (const auto* arguments = member(&component, "arguments"); arguments != nullptr && arguments->is_array()) {
    for (const auto& argument : *arguments)
      look_at(argument.value("name", ""), argument);
  }
  return names;
}

std::string shown(const OrderedJson& text) {
  static constexpr std::size_t max_bytes = 80;
  return dump(OrderedJson(utf8_prefix(text.get_ref<const std::string&>(), max_bytes)));
}

bool is_of_icon(const std::string& uri) {
  const auto scheme = lower_case(uri.substr(0, uri.find(':')));
  return is_absolute_uri(uri) && (scheme == "https" || scheme == "http" || scheme == "data");
}

// Of a component that has been read, so that an icon is an object with the text "src". It may be a whole picture.
std::vector<std::string> icons_that_clients_refuse(const OrderedJson& component) {
  std::vector<std::string> sources;
  const auto* const icons = member(&component, "icons");
  if (icons == nullptr) return sources;
  for (const auto& icon : *icons) {
    const auto& source = icon.at("src").get_ref<const std::string&>();
    if (!is_of_icon(source)) sources.push_back(shown(icon.at("src")));
  }
  return sources;
}

class Remarks {
 public:
  explicit Remarks(const Components& components) : components_(components) {
    for (const auto& resource : components.resources)
      resource_keys_.insert(component_key(resource));
  }

  // `reader` is who goes by the description.
  void look_at(const std::string& component, const std::string& json, const char* reader) {
    const auto description = parse_ordered_json(json);
    if (!description) return;
    if (description->value("description", "").empty()) {
      remarks_.push_back(component + " has no description, by which " + reader);
    }
    const auto silent = arguments_without_description(*description);
    if (!silent.empty()) {
      remarks_.push_back(component + " has arguments without a description: " + silent);
    }
    for (const auto& source : icons_that_clients_refuse(*description)) {
      remarks_.push_back(
          component + " has the icon " + source +
          ", which is no URI such as https://... or data:..., and for which a client may refuse the whole list");
    }
    const auto* const modified = member(member(&*description, "annotations"), "lastModified");
    if (modified != nullptr && modified->is_string() && !is_date_time(modified->get_ref<const std::string&>())) {
      remarks_.push_back(component + " has the annotation lastModified " + shown(*modified) +
                         ", which is no time such as 2026-01-31T12:00:00Z, and for which a client may refuse the whole "
                         "list");
    }
    const OrderedJson::json_pointer place_of_app("/_meta/ui/resourceUri");
    if (!description->contains(place_of_app)) return;
    const auto& app = description->at(place_of_app);
    if (app.is_string() && !has_resource(app.get_ref<const std::string&>())) {
      remarks_.push_back(component + " names the app " + dump(app) + ", but the plugin has no resource with that URI");
    }
  }

  std::vector<std::string> take() { return std::move(remarks_); }

 private:
  bool has_resource(std::string_view uri) const {
    if (resource_keys_.contains(normalized_uri(uri))) return true;
    const auto compared = ComparedUri::read(uri);
    if (!compared) return false;
    const auto matches = [&](const ResourceTemplate& each) { return each.uri_template.match(*compared).has_value(); };
    return std::ranges::any_of(components_.resource_templates, matches);
  }

  const Components& components_;
  std::set<std::string> resource_keys_;  // those of all that the plugin has
  std::vector<std::string> remarks_;
};

std::string named(std::string_view kind, std::string_view name) {
  return std::string(kind) + " \"" + std::string(name) + '"';
}

}  // namespace

std::vector<std::string> component_remarks(const Components& components) {
  Remarks remarks(components);
  for (const auto& tool : components.tools)
    remarks.look_at(named("tool", tool.name), tool.json, "a model chooses it");
  for (const auto& resource : components.resources)
    remarks.look_at(named("resource", resource.uri), resource.json, "people and models choose it");
  for (const auto& each : components.resource_templates)
    remarks.look_at(named("resource template", each.uri_template.text()), each.json, "people and models choose it");
  for (const auto& prompt : components.prompts)
    remarks.look_at(named("prompt", prompt.name), prompt.json, "people choose it");
  return remarks.take();
}

}  // namespace mcph
