#include "describe.hpp"

#include <algorithm>

#include <mcp/plugin/detail/json_text.hpp>
#include <nlohmann/json.hpp>

namespace mcp::detail {
namespace {

/// What a client reads the tags at, and the host.
constexpr auto tags_key = "mcp-plugin-host/tags";

void add_flag(ObjectText& object, std::string_view name, std::optional<bool> flag) {
  if (flag) object.member(name, *flag ? "true" : "false");
}

/// What the author says of the component, and its tags.
std::string meta_with_tags(const Metadata& metadata, std::string_view meta) {
  if (metadata.tags.empty()) return std::string(meta);
  Json object = meta.empty() ? Json::object() : parse_json(meta);
  object[tags_key] = metadata.tags;
  return dump_json(object);
}

/// The members that every kind of component ends with.
std::string finished(ObjectText& object, const Metadata& metadata, std::string_view meta) {
  ArrayText icons;
  for (const auto& icon : metadata.icons)
    icons.item(icon);
  if (!icons.empty()) object.member("icons", icons.text());
  return object.member_if("_meta", meta_with_tags(metadata, meta)).text();
}
std::string finished(ObjectText& object, const Metadata& metadata) {
  return finished(object, metadata, metadata.meta);
}

std::string tool_annotations(const ToolRecord& tool) {
  ObjectText hints;
  add_flag(hints, "readOnlyHint", tool.read_only);
  add_flag(hints, "destructiveHint", tool.destructive);
  add_flag(hints, "idempotentHint", tool.idempotent);
  add_flag(hints, "openWorldHint", tool.open_world);
  return hints.empty() ? std::string() : hints.text();
}

/// What the author says of the tool, and what MCP Apps do, beside one another.
std::string tool_meta(const ToolRecord& tool) {
  if (tool.app.empty() && !tool.app_only) return tool.meta;
  Json meta = tool.meta.empty() ? Json::object() : parse_json(tool.meta);
  if (!tool.app.empty()) meta["ui"]["resourceUri"] = tool.app;
  if (tool.app_only) meta["ui"]["visibility"] = {"app"};
  return dump_json(meta);
}

std::string tool_text(const ToolRecord& tool) {
  ObjectText object;
  object.string("name", tool.name).string_if("title", tool.title).string_if("description", tool.description);
  object.member("inputSchema", tool.binding.input_schema);
  object.member_if("outputSchema", tool.binding.output_schema);
  object.member_if("annotations", tool_annotations(tool));
  ObjectText execution;
  execution.string_if("taskSupport", tool.task_support);
  if (tool.timeout) execution.member("timeoutMs", std::to_string(tool.timeout->count()));
  if (!execution.empty()) object.member("execution", execution.text());
  return finished(object, tool, tool_meta(tool));
}

std::string resource_text(const ResourceRecord& resource, std::string_view uri_name) {
  ObjectText object;
  object.string(uri_name, resource.uri).string("name", resource.name).string_if("title", resource.title);
  object.string_if("description", resource.description).string_if("mimeType", resource.mime_type);
  if (resource.size) object.member("size", std::to_string(*resource.size));
  object.member_if("annotations", resource.annotations);
  return finished(object, resource);
}

std::string argument_text(const Arg& argument) {
  ObjectText object;
  object.string("name", argument.name()).string_if("title", argument.title());
  object.string_if("description", argument.description());
  if (argument.is_required()) object.member("required", "true");
  return object.text();
}

std::string prompt_text(const PromptRecord& prompt) {
  ObjectText object;
  object.string("name", prompt.name).string_if("title", prompt.title).string_if("description", prompt.description);
  ArrayText arguments;
  for (const Arg& argument : prompt.arguments)
    arguments.item(argument_text(argument));
  if (!arguments.empty()) object.member("arguments", arguments.text());
  return finished(object, prompt);
}

template <class Record, class Text>
void add_list(ObjectText& object, std::string_view name, const Shelf<Record>& shelf, const Text& text) {
  ArrayText list;
  for (const auto& record : shelf.all())
    list.item(text(*record));
  if (!list.empty()) object.member(name, list.text());
}

template <class Record>
bool any_completes(const Shelf<Record>& shelf) {
  return std::any_of(shelf.all().begin(), shelf.all().end(), [](auto& each) { return !each->completions.empty(); });
}

}  // namespace

std::string describe(const Components& components) {
  ObjectText object;
  add_list(object, "tools", components.tools, tool_text);
  add_list(object, "resources", components.resources, [](auto& each) { return resource_text(each, "uri"); });
  add_list(object, "resourceTemplates", components.resource_templates,
           [](auto& each) { return resource_text(each, "uriTemplate"); });
  add_list(object, "prompts", components.prompts, prompt_text);
  if (any_completes(components.prompts) || any_completes(components.resource_templates)) {
    object.member("completions", "true");
  }
  ObjectText capabilities;
  for (const auto& [group, members] : components.capabilities) {
    ObjectText settings;
    for (const auto& [name, json] : members)
      settings.member(name, json);
    if (!settings.empty()) capabilities.member(group, settings.text());
  }
  if (!capabilities.empty()) object.member("capabilities", capabilities.text());
  return object.string_if("instructions", components.instructions).text();
}

}  // namespace mcp::detail
