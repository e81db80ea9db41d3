// The calls that are right: made from what the components say of themselves.
#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "base/json.hpp"
#include "base/json_text.hpp"
#include "check/example_values.hpp"
#include "check/inspection.hpp"
#include "protocol/calls/completion.hpp"
#include "protocol/calls/plugin_result.hpp"

namespace mcph {
namespace {

std::string quoted_words(std::string_view kind, std::string_view name) {
  return std::string(kind) + " \"" + std::string(name) + "\"";
}

// The first value that the plugin proposes; nothing: it proposes none.
std::optional<std::string> proposed_value(PluginVersion& version, const Json& reference, const std::string& argument) {
  const auto planned = plan_completion(version.catalog(), Json{{"ref", reference},
                                                               {"argument", {{"name", argument}, {"value", ""}}},
                                                               {"context", {{"arguments", Json::object()}}}});
  if (!planned || planned->has_error()) return std::nullopt;
  const auto call = version.begin(PluginMethod::completion_complete, (*planned)->params, (*planned)->component);
  const auto asked = version.end(*call, std::nullopt);
  if (!asked.mistake.empty() || asked.outcome != Outcome::result) return std::nullopt;
  const auto result = read_plugin_result(PluginMethod::completion_complete, asked.text);
  for (const auto value : result->root().find("completion").find("values").elements())
    return value.string();
  return std::nullopt;
}

bool needs_no_encoding(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("-._~").find(c) != std::string_view::npos;
}

// Variables of a query and of one segment have no '/'; those of anything keep it.
std::string percent_encoded(std::string_view text, bool keeps_slashes) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  constexpr unsigned base = 16;
  std::string encoded;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (needs_no_encoding(c) || (keeps_slashes && c == '/')) {
      encoded += c;
    } else {
      encoded += {'%', digits[byte / base], digits[byte % base]};
    }
  }
  return encoded;
}

// What stands between the braces, with these values.
std::string expanded_expression(std::string_view inside, const std::map<std::string, std::string>& values) {
  const auto sign = inside.find_first_of("+#?/") == 0 ? inside.front() : ' ';
  if (sign != ' ') inside.remove_prefix(1);
  std::string expanded;
  while (!inside.empty()) {
    auto name = inside.substr(0, inside.find(','));
    inside.remove_prefix(std::min(name.size() + 1, inside.size()));
    const bool is_exploded = name.ends_with('*');
    if (is_exploded) name.remove_suffix(1);
    if (sign == '?') {
      expanded.append(expanded.empty() ? "?" : "&").append(name).append("=");
    } else if (sign == '/' || sign == '#') {
      expanded += sign;
    }
    const bool is_anything = sign == '+' || sign == '#' || is_exploded;
    expanded += percent_encoded(values.at(std::string(name)), is_anything);
  }
  return expanded;
}

// The template with these values in the place of its variables.
std::string expanded(std::string_view text, const std::map<std::string, std::string>& values) {
  std::string uri;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '*') {
      uri += percent_encoded(values.at("*"), true);
    } else if (text[at] == '{') {
      const auto end = text.find('}', at);
      uri += expanded_expression(text.substr(at + 1, end - at - 1), values);
      at = end;
    } else {
      uri += text[at];
    }
  }
  return uri;
}

void add_tool(const Tool& tool, bool only_read_only, ExampleCalls& calls) {
  const auto words = quoted_words("tool", tool.name);
  if (only_read_only && !tool.read_only) {
    calls.left_out.push_back(words + " is not called, because it does not say readOnlyHint");
    return;
  }
  const auto description = parse_ordered_json(tool.json);
  const auto arguments = ExampleValues(description->at("inputSchema"), tool.input_schema).usual();
  if (!arguments) {
    calls.left_out.push_back(words +
                             " is not called, because no arguments were found that its inputSchema takes; give "
                             "it \"examples\" with some");
    return;
  }
  calls.calls.push_back({PluginMethod::tools_call,
                         tool.name,
                         words,
                         {{"name", tool.name}, {"arguments", *arguments}},
                         tool.output_schema});
}

void add_template(PluginVersion& version, const ResourceTemplate& each, ExampleCalls& calls) {
  const auto text = std::string(each.uri_template.text());
  std::map<std::string, std::string> values;
  for (const auto& variable : each.uri_template.variables()) {
    std::optional<std::string> value;
    if (each.completes) value = proposed_value(version, {{"type", "ref/resource"}, {"uri", text}}, variable);
    values[variable] = value.value_or("example");
  }
  const auto uri = expanded(text, values);
  calls.calls.push_back(
      {PluginMethod::resources_read, uri, quoted_words("resource template", text), {{"uri", uri}}, {}, true});
}

void add_prompt(PluginVersion& version, const Prompt& prompt, ExampleCalls& calls) {
  auto arguments = Json::object();
  for (const auto& name : prompt.arguments) {
    std::optional<std::string> value;
    if (prompt.completes) value = proposed_value(version, {{"type", "ref/prompt"}, {"name", prompt.name}}, name);
    arguments[name] = value.value_or("example");
  }
  calls.calls.push_back({PluginMethod::prompts_get,
                         prompt.name,
                         quoted_words("prompt", prompt.name),
                         {{"name", prompt.name}, {"arguments", std::move(arguments)}}});
}

}  // namespace

ExampleCalls example_calls(PluginVersion& version, bool only_read_only) {
  ExampleCalls calls;
  const auto& components = version.components();
  for (const auto& tool : components.tools)
    add_tool(tool, only_read_only, calls);
  for (const auto& resource : components.resources) {
    calls.calls.push_back(
        {PluginMethod::resources_read, resource.uri, quoted_words("resource", resource.uri), {{"uri", resource.uri}}});
  }
  for (const auto& each : components.resource_templates)
    add_template(version, each, calls);
  for (const auto& prompt : components.prompts)
    add_prompt(version, prompt, calls);
  return calls;
}

}  // namespace mcph
