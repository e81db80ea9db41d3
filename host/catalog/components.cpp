#include "catalog/components.hpp"

#include <algorithm>
#include <functional>
#include <initializer_list>
#include <optional>
#include <set>
#include <utility>

#include "base/json.hpp"
#include "base/json_text.hpp"
#include "base/uri.hpp"
#include "plugin/names.hpp"
#include "schema/value.hpp"

namespace mcph {
namespace {

// One component of the document while it is read, or a part of one: knows its own place, for messages.
class Description {
 public:
  Description(const OrderedJson& json, std::string place) : json_(json), place_(std::move(place)) {}

  const OrderedJson& json() const { return json_; }
  void rename(std::string_view name) { place_.append(" \"").append(name).append("\""); }
  Error error(std::string_view field, std::string_view reason) const {
    return fail(place_ + ": " + prefix_ + std::string(field) + (field.empty() ? "" : " ") + std::string(reason));
  }

  // The whole as JSON, in which `field` is `text`.
  std::string dumped(const char* field, std::string_view text) const {
    if (json_.at(field) == text) return dump(json_);
    auto changed = json_;
    changed[field] = text;
    return dump(changed);
  }

  Result<std::string> required_text(const char* field) const {
    const auto found = json_.find(field);
    if (found == json_.end()) return error(field, "is missing");
    if (!found->is_string()) return error(field, "is not a string");
    if (found->get_ref<const std::string&>().empty()) return error(field, "is empty");
    return found->get<std::string>();
  }

  template <class IsRight>
  Result<> optional_fields(std::initializer_list<const char*> fields, IsRight is_right, std::string_view what) const {
    for (const auto* field : fields) {
      const auto found = json_.find(field);
      if (found != json_.end() && !is_right(*found)) return error(field, "is not " + std::string(what));
    }
    return {};
  }
  Result<> optional_texts(std::initializer_list<const char*> fields) const {
    return optional_fields(fields, std::mem_fn(&OrderedJson::is_string), "a string");
  }
  Result<> optional_flags(std::initializer_list<const char*> fields) const {
    return optional_fields(fields, std::mem_fn(&OrderedJson::is_boolean), "true or false");
  }

  // The fields that every kind of component shares.
  Result<> common_fields() const {
    if (auto texts = optional_texts({"title", "description"}); texts.has_error()) return texts;
    if (auto objects = optional_fields({"_meta", "annotations"}, std::mem_fn(&OrderedJson::is_object), "an object");
        objects.has_error()) {
      return objects;
    }
    const auto icons = json_.find("icons");
    if (icons == json_.end()) return {};
    if (!icons->is_array()) return error("icons", "is not an array");
    for (std::size_t i = 0; i < icons->size(); ++i) {
      const auto entry = "icons[" + std::to_string(i) + "]";
      if (!(*icons)[i].is_object()) return error(entry, "is not an object");
      if (auto icon = part((*icons)[i], entry + ".").icon_fields(); icon.has_error()) return icon;
    }
    return {};
  }

  // Of a tool, where they are MCP's ToolAnnotations.
  Result<> tool_annotations() const {
    const auto found = json_.find("annotations");
    if (found == json_.end()) return {};
    const auto annotations = part(*found, "annotations.");
    if (auto texts = annotations.optional_texts({"title"}); texts.has_error()) return texts;
    return annotations.optional_flags({"readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"});
  }

  // Of a resource or a resource template, where they are MCP's Annotations.
  Result<> resource_annotations() const {
    const auto found = json_.find("annotations");
    if (found == json_.end()) return {};
    const auto annotations = part(*found, "annotations.");
    if (auto texts = annotations.optional_texts({"lastModified"}); texts.has_error()) return texts;
    const auto is_role = [](const OrderedJson& role) { return role == "user" || role == "assistant"; };
    const auto are_roles = [&](const OrderedJson& roles) {
      return roles.is_array() && std::all_of(roles.begin(), roles.end(), is_role);
    };
    if (auto audience = annotations.optional_fields({"audience"}, are_roles, R"(an array of "user" and "assistant")");
        audience.has_error()) {
      return audience;
    }
    const auto is_share = [](const OrderedJson& share) { return share.is_number() && share >= 0 && share <= 1; };
    return annotations.optional_fields({"priority"}, is_share, "a number from 0 to 1");
  }

  Result<> prompt_argument_fields() const {
    if (auto texts = optional_texts({"title", "description"}); texts.has_error()) return texts;
    return optional_flags({"required"});
  }

  // A piece of this, whose fields are called by `prefix` and their names.
  Description part(const OrderedJson& json, std::string prefix) const {
    Description part(json, place_);
    part.prefix_ = std::move(prefix);
    return part;
  }

 private:
  Result<> icon_fields() const {
    if (auto source = required_text("src"); source.has_error()) return source.error();
    if (auto texts = optional_texts({"mimeType"}); texts.has_error()) return texts;
    const auto are_texts = [](const OrderedJson& sizes) {
      return sizes.is_array() && std::all_of(sizes.begin(), sizes.end(), std::mem_fn(&OrderedJson::is_string));
    };
    if (auto sizes = optional_fields({"sizes"}, are_texts, "an array of strings"); sizes.has_error()) return sizes;
    const auto is_theme = [](const OrderedJson& theme) { return theme == "light" || theme == "dark"; };
    return optional_fields({"theme"}, is_theme, R"("light" or "dark")");
  }

  const OrderedJson& json_;
  std::string place_;
  std::string prefix_;
};

Result<std::string> read_tool_name(const Description& description) {
  auto name = description.required_text("name");
  if (name.has_value() && !is_component_name(*name)) {
    return description.error("name", "\"" + *name + "\" is not 1 to 128 characters of A-Za-z0-9_.-");
  }
  return name;
}

Result<std::string> read_prompt_name(const Description& description) {
  auto name = description.required_text("name");
  if (name.has_value() && !is_prompt_name(*name)) {
    return description.error("name", "is not 1 to 128 bytes of text without control characters");
  }
  return name;
}

// What a tool says to the host of how its calls run.
struct Execution {
  TaskSupport task_support = TaskSupport::undeclared;
  std::optional<std::chrono::milliseconds> time_limit = {};
};

Result<TaskSupport> read_task_support(const Description& description, const OrderedJson& execution) {
  const auto support = execution.value("taskSupport", OrderedJson());
  if (support.is_null()) return TaskSupport::undeclared;
  if (support == "optional") return TaskSupport::optional;
  if (support == "required") return TaskSupport::required;
  if (support == "forbidden") return TaskSupport::forbidden;
  return description.error("execution.taskSupport", R"(is none of "optional", "required" and "forbidden")");
}

Result<Execution> read_execution(const Description& description) {
  const auto execution = description.json().find("execution");
  if (execution == description.json().end()) return Execution();
  if (!execution->is_object()) return description.error("execution", "is not an object");
  const auto support = read_task_support(description, *execution);
  if (support.has_error()) return support.error();
  const auto time = execution->value("timeoutMs", OrderedJson());
  if (time.is_null()) return Execution{*support};
  constexpr std::int64_t max_ms = 365LL * 24 * 3600 * 1000;
  if (!time.is_number_integer() || time < 1 || time > max_ms) {
    return description.error("execution.timeoutMs", "is not a whole number from 1 to " + std::to_string(max_ms));
  }
  return Execution{*support, std::chrono::milliseconds(time.get<std::int64_t>())};
}

Result<std::set<std::string, std::less<>>> read_tags(const Description& description) {
  constexpr auto key = "mcp-plugin-host/tags";
  std::set<std::string, std::less<>> tags;
  const auto meta = description.json().value("_meta", OrderedJson::object());
  const auto found = meta.find(key);
  if (found == meta.end()) return tags;
  const auto is_tag = [](const OrderedJson& tag) {
    return tag.is_string() && is_component_name(tag.get_ref<const std::string&>());
  };
  if (!found->is_array() || !std::ranges::all_of(*found, is_tag)) {
    return description.error("_meta[\"mcp-plugin-host/tags\"]",
                             "is not an array of texts of 1 to 128 characters of A-Za-z0-9_.-");
  }
  for (const auto& tag : *found)
    tags.insert(tag.get<std::string>());
  return tags;
}

// "properties" of schemas are objects there (schema of 2025-11-25, Tool).
void write_out_booleans(OrderedJson& schema) {
  const auto properties = schema.find("properties");
  if (properties == schema.end() || !properties->is_object()) return;
  for (auto& each : *properties) {
    if (each.is_boolean())
      each = each.get<bool>() ? OrderedJson::object() : OrderedJson{{"not", OrderedJson::object()}};
  }
}

std::string legacy_text(OrderedJson tool) {
  if (tool.contains("outputSchema") && tool["outputSchema"].is_object() &&
      tool["outputSchema"].value("type", OrderedJson()) != "object")
    tool.erase("outputSchema");
  for (const auto* const name : {"inputSchema", "outputSchema"}) {
    if (tool.contains(name) && tool[name].is_object()) write_out_booleans(tool[name]);
  }
  return dump(tool);
}

Result<Tool> read_tool(Description description, DescriptionRoom& room) {
  auto name = read_tool_name(description);
  if (name.has_error()) return name.error();
  description.rename(*name);
  if (auto common = description.common_fields(); common.has_error()) return common.error();
  if (auto annotations = description.tool_annotations(); annotations.has_error()) return annotations.error();

  const auto execution = read_execution(description);
  if (execution.has_error()) return execution.error();
  auto tags = read_tags(description);
  if (tags.has_error()) return tags.error();
  auto json = description.json();
  json.erase("execution");  // for the host; to a client of 2025-11-25 it would promise what that revision calls tasks
  const auto input = json.find("inputSchema");
  if (input == json.end()) return description.error("inputSchema", "is missing");
  if (!input->is_object()) return description.error("inputSchema", "is not an object");
  if (const auto type = input->value("type", OrderedJson()); type != "object") {
    const auto instead = type.is_null() ? std::string() : ", but has \"type\": " + schema::short_text(type);
    return description.error("inputSchema", "must have \"type\": \"object\"" + instead);
  }
  const SchemaOptions options{.pattern_bytes = &room.pattern_bytes};
  auto schema = Schema::compile(*input, options);
  if (schema.has_error()) return description.error("inputSchema", "is invalid: " + schema.error().message);

  auto headers = read_parameter_headers(*input);
  if (headers.has_error()) return description.error("inputSchema", "is invalid: " + headers.error().message);

  Tool tool{*std::move(name), *std::move(schema), {}, dump(json), {}, *std::move(headers), execution->task_support};
  tool.time_limit = execution->time_limit;
  tool.tags = *std::move(tags);
  tool.read_only = json.value("/annotations/readOnlyHint"_json_pointer, false);
  const auto output = json.find("outputSchema");
  tool.legacy_json = legacy_text(json);
  if (output == json.end()) return tool;
  if (!output->is_object()) return description.error("outputSchema", "is not an object");
  auto output_schema = Schema::compile(*output, options);
  if (output_schema.has_error()) {
    return description.error("outputSchema", "is invalid: " + output_schema.error().message);
  }
  tool.output_schema = *std::move(output_schema);
  return tool;
}

Result<Resource> read_resource(Description description) {
  auto uri = description.required_text("uri");
  if (uri.has_error()) return uri.error();
  description.rename(*uri);
  if (!is_absolute_uri(*uri)) return description.error("uri", "is not an absolute URI such as \"scheme://path\"");
  if (!percent_decode(*uri)) {
    return description.error("uri", R"(has a "%" that is not followed by two hexadecimal digits; write it as "%25")");
  }
  auto name = description.required_text("name");
  if (name.has_error()) return name.error();
  if (auto common = description.common_fields(); common.has_error()) return common.error();
  if (auto annotations = description.resource_annotations(); annotations.has_error()) return annotations.error();
  if (auto mime = description.optional_texts({"mimeType"}); mime.has_error()) {
    return mime.error();
  }
  const auto is_size = [](const OrderedJson& size) {
    const auto number = schema::number_of(size);
    return number && schema::is_integer(*number) && size >= 0;
  };
  if (auto size = description.optional_fields({"size"}, is_size, "a number of bytes: an integer of 0 or more");
      size.has_error()) {
    return size.error();
  }
  auto written = encoded_uri(*uri).value_or(*uri);
  auto json = description.dumped("uri", written);
  return Resource{std::move(written), *std::move(name), std::move(json), *std::move(uri)};
}

Result<ResourceTemplate> read_resource_template(Description description, DescriptionRoom& room) {
  auto text = description.required_text("uriTemplate");
  if (text.has_error()) return text.error();
  description.rename(*text);
  auto uri_template = UriTemplate::parse(*text);
  if (uri_template.has_error()) return description.error("uriTemplate", "is invalid: " + uri_template.error().message);
  if (text->size() > room.template_bytes) {
    return description.error("uriTemplate", "is one too many: those of a plugin have at most " +
                                                std::to_string(DescriptionRoom().template_bytes) + " bytes together");
  }
  room.template_bytes -= text->size();
  auto name = description.required_text("name");
  if (name.has_error()) return name.error();
  if (auto common = description.common_fields(); common.has_error()) return common.error();
  if (auto annotations = description.resource_annotations(); annotations.has_error()) return annotations.error();
  if (auto mime = description.optional_texts({"mimeType"}); mime.has_error()) {
    return mime.error();
  }
  auto json = description.dumped("uriTemplate", uri_template->text());
  return ResourceTemplate{*std::move(uri_template), *std::move(name), std::move(json)};
}

Result<Prompt> read_prompt(Description description) {
  auto name = read_prompt_name(description);
  if (name.has_error()) return name.error();
  description.rename(*name);
  if (auto common = description.common_fields(); common.has_error()) return common.error();

  Prompt prompt{*std::move(name), {}, dump(description.json())};
  const auto arguments = description.json().find("arguments");
  if (arguments == description.json().end()) return prompt;
  if (!arguments->is_array()) return description.error("arguments", "is not an array");
  std::set<std::string> names;
  for (const auto& argument : *arguments) {
    if (!argument.is_object() || !argument.contains("name") || !argument["name"].is_string()) {
      return description.error("arguments", "has an entry without a \"name\" string");
    }
    const auto& argument_name = argument["name"].get_ref<const std::string&>();
    if (!names.insert(argument_name).second) {
      return description.error("arguments", "names \"" + argument_name + "\" twice");
    }
    const auto part = description.part(argument, "arguments \"" + argument_name + "\": ");
    if (auto fields = part.prompt_argument_fields(); fields.has_error()) return fields.error();
    prompt.arguments.push_back(argument_name);
    if (argument.value("required", false)) prompt.required_arguments.push_back(argument_name);
  }
  return prompt;
}

// `read`: one of them.
template <class Component, class Read>
Result<std::vector<Component>> read_all(const OrderedJson& document, const char* kind, Read read) {
  std::vector<Component> components;
  const auto list = document.find(kind);
  if (list == document.end()) return components;
  if (!list->is_array()) return fail(std::string(kind) + " is not an array");
  std::set<std::string> keys;
  for (std::size_t i = 0; i < list->size(); ++i) {
    Description description((*list)[i], std::string(kind) + "[" + std::to_string(i) + "]");
    if (!(*list)[i].is_object()) return description.error("", "is not an object");
    auto component = read(description);
    if (component.has_error()) return component.error();
    if (!keys.insert(component_key(*component)).second) {
      return description.error("", "\"" + component_name(*component) + "\" is described twice");
    }
    components.push_back(*std::move(component));
  }
  return components;
}

}  // namespace

std::string component_name(const Tool& tool) {
  return tool.name;
}
std::string component_name(const Resource& resource) {
  return resource.uri;
}
std::string component_name(const ResourceTemplate& resource_template) {
  return std::string(resource_template.uri_template.text());
}
std::string component_name(const Prompt& prompt) {
  return prompt.name;
}
std::string component_name(const Capability& capability) {
  return capability.name;
}

std::string component_key(const Tool& tool) {
  return tool.name;
}
std::string component_key(const Resource& resource) {
  return normalized_uri(resource.uri);
}
std::string component_key(const ResourceTemplate& resource_template) {
  return normalized_uri(resource_template.uri_template.text());
}
std::string component_key(const Prompt& prompt) {
  return prompt.name;
}
std::string component_key(const Capability& capability) {
  return capability.name;
}

bool has_component(const Components& components, std::string_view name) {
  const auto is_among = [name](const auto& all) {
    return std::ranges::any_of(all, [name](const auto& each) { return component_name(each) == name; });
  };
  return is_among(components.tools) || is_among(components.resources) || is_among(components.resource_templates) ||
         is_among(components.prompts);
}

Components without(const Components& components, const std::set<std::string, std::less<>>& names) {
  auto rest = components;
  const auto remove = [&names](auto& all) {
    std::erase_if(all, [&names](const auto& each) { return names.contains(component_name(each)); });
  };
  for (const auto& resource : rest.resources)
    if (names.contains(component_name(resource))) rest.withheld.insert(component_key(resource));
  remove(rest.tools);
  remove(rest.resources);
  remove(rest.resource_templates);
  remove(rest.prompts);
  return rest;
}

Result<Components> parse_components(std::string_view document) {
  DescriptionRoom room;
  return parse_components(document, room);
}

Result<Components> parse_components(std::string_view document, DescriptionRoom& room) {
  auto parsed = parse_ordered_json(document);
  if (parsed.has_error()) return fail("its description is not valid JSON: " + parsed.error().message);
  const OrderedJson& json = *parsed;
  if (!json.is_object()) return fail("its description is not a JSON object");

  auto tools = read_all<Tool>(json, "tools",
                              [&room](Description description) { return read_tool(std::move(description), room); });
  if (tools.has_error()) return tools.error();
  auto resources = read_all<Resource>(json, "resources", read_resource);
  if (resources.has_error()) return resources.error();
  auto templates = read_all<ResourceTemplate>(json, "resourceTemplates", [&room](Description description) {
    return read_resource_template(std::move(description), room);
  });
  if (templates.has_error()) return templates.error();
  auto prompts = read_all<Prompt>(json, "prompts", read_prompt);
  if (prompts.has_error()) return prompts.error();

  const auto instructions = json.value("instructions", OrderedJson(""));
  if (!instructions.is_string()) return fail("instructions is not a string");
  const auto completions = json.value("completions", OrderedJson(false));
  if (!completions.is_boolean()) return fail("completions is not true or false");
  auto capabilities = read_capabilities(json.value("capabilities", OrderedJson::object()));
  if (capabilities.has_error()) return capabilities.error();
  for (auto& each : *templates)
    each.completes = completions.get<bool>();
  for (auto& each : *prompts)
    each.completes = completions.get<bool>();
  return Components{*std::move(tools),   *std::move(resources),           *std::move(templates),
                    *std::move(prompts), instructions.get<std::string>(), *std::move(capabilities)};
}

}  // namespace mcph
