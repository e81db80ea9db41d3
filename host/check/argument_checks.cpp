// Arguments at the border of what a schema takes, and beyond it; names that nobody knows; and what may be filled in.
#include <algorithm>
#include <array>
#include <utility>

#include "base/json.hpp"
#include "base/json_text.hpp"
#include "check/example_values.hpp"
#include "check/inspection.hpp"
#include "protocol/calls/completion.hpp"

namespace mcph {
namespace {

// A call with a large number may rightly take its time.
constexpr std::chrono::milliseconds border_patience{1000};

const Tool& tool_named(const Components& components, const std::string& name) {
  return *std::ranges::find(components.tools, name, &Tool::name);
}

// `schema` keeps what the values refer to.
ExampleValues values_for(const Tool& tool, OrderedJson& schema) {
  schema = parse_ordered_json(tool.json)->at("inputSchema");
  return {schema, tool.input_schema};
}

void check_border_arguments(Inspection& inspection, CheckReport& report) {
  const auto calls = inspection.calls_of(PluginMethod::tools_call);
  if (calls.empty()) return report.skip("there is no tool to call");
  for (auto call : calls) {
    OrderedJson schema;
    for (auto& [what, arguments] : values_for(tool_named(*inspection.components, call.component), schema).border()) {
      auto* const version = inspection.usable(report);
      if (version == nullptr) return;
      call.params["arguments"] = std::move(arguments);
      auto asked = version->ask(call, {.patience = std::min(border_patience, inspection.options.timeout)});
      if (asked.late && asked.ended && !asked.in_stead) asked.mistake.clear();
      inspection.judge(call, asked, what + ": " + dump(call.params["arguments"]), report);
      if (!asked.mistake.empty()) break;
    }
  }
}

void check_invalid_arguments(Inspection& inspection, CheckReport& report) {
  const auto calls = inspection.calls_of(PluginMethod::tools_call);
  if (calls.empty()) return report.skip("there is no tool to call");
  for (auto call : calls) {
    OrderedJson schema;
    for (auto& [what, arguments] : values_for(tool_named(*inspection.components, call.component), schema).invalid()) {
      auto* const version = inspection.usable(report);
      if (version == nullptr) return;
      call.params["arguments"] = std::move(arguments);
      const auto asked = version->end(*version->begin(call.method, dump(call.params), call.component), std::nullopt,
                                      std::min(border_patience, inspection.options.timeout));
      if (asked.ended && !asked.in_stead) continue;
      // The contract promises that there are none.
      report.warn(call.words + ", given what the host refuses (" + what + "): " + asked.mistake +
                  inspection.place_of(asked) +
                  "; whoever embeds it without a host would meet this: look before you take a member");
      break;
    }
  }
}

// What is asked for, of how many that the plugin has of its kind: one alone need not look at the name.
struct Unknown {
  PluginMethod method;
  Json params;
  std::size_t known;
  bool is_malformed = false;  // no host asks that
};

// A name that it does not know may still make a tool of it work, of one that has a single tool, say.
bool may_call_unknown_tools(const Inspection& inspection) {
  return !inspection.options.only_read_only || std::ranges::all_of(inspection.components->tools, &Tool::read_only);
}

std::vector<Unknown> unknown_names(const Inspection& inspection) {
  constexpr std::string_view name = "no_such_name";
  const auto& components = *inspection.components;
  const auto resources = components.resources.size() + components.resource_templates.size();
  const auto tools = inspection.calls_of(PluginMethod::tools_call);
  const auto arguments = tools.empty() ? Json::object() : tools.front().params.at("arguments");
  return {{PluginMethod::tools_call, {{"name", name}, {"arguments", arguments}}, components.tools.size()},
          {PluginMethod::tools_call, Json::object(), components.tools.size(), true},
          {PluginMethod::resources_read, {{"uri", "unknown:no_such_name"}}, resources},
          {PluginMethod::resources_read, Json::object(), resources, true},
          {PluginMethod::prompts_get, {{"name", name}, {"arguments", Json::object()}}, components.prompts.size()},
          {PluginMethod::prompts_get, Json::object(), components.prompts.size(), true},
          {PluginMethod::completion_complete,
           {{"ref", {{"type", "ref/prompt"}, {"name", name}}},
            {"argument", {{"name", name}, {"value", ""}}},
            {"context", {{"arguments", Json::object()}}}},
           1}};
}

bool is_refusal(const Asked& asked) {
  if (asked.outcome == Outcome::error) return true;
  const auto result = parse_json(asked.text);
  return result.has_value() && result->is_object() && result->value("isError", false);
}

void check_unknown_names(Inspection& inspection, CheckReport& report) {
  const bool calls_tools = may_call_unknown_tools(inspection);
  if (!calls_tools) report.note("no tool is called, because not each of them says readOnlyHint");
  for (const auto& [method, params, known, is_malformed] : unknown_names(inspection)) {
    if (method == PluginMethod::tools_call && !calls_tools) continue;
    auto* const version = inspection.usable(report);
    if (version == nullptr) return;
    const auto call = version->begin(method, dump(params), "no_such_name");
    const auto asked = version->end(*call, std::nullopt);
    const auto what = std::string(name_of(method)) + " with " + dump(params);
    if (!asked.ended || asked.in_stead) {
      auto words = what + ", which it does not know: " + asked.mistake + inspection.place_of(asked);
      if (is_malformed) {
        report.warn(words + "; no host asks that, but look before you take a member");
      } else {
        report.fail(words + "; a call may come that was meant for the version before: answer it with an error");
      }
    } else if (!is_refusal(asked) && known != 1 && method != PluginMethod::completion_complete) {
      report.warn(what + ", which it does not know, was answered with a result; answer with an error that says so");
    }
  }
}

void complete(Inspection& inspection, const Json& reference, const std::string& argument, const std::string& words,
              CheckReport& report) {
  for (const auto* const typed : {"", "a", "\xE6\xBC\xA2", "no such value"}) {
    auto* const version = inspection.usable(report);
    if (version == nullptr) return;
    const auto planned = plan_completion(version->catalog(), Json{{"ref", reference},
                                                                  {"argument", {{"name", argument}, {"value", typed}}},
                                                                  {"context", {{"arguments", Json::object()}}}});
    if (!planned || planned->has_error()) continue;
    const auto call = version->begin((*planned)->method, (*planned)->params, (*planned)->component);
    auto asked = version->end(*call, std::nullopt);
    if (asked.mistake.empty() && asked.outcome != Outcome::result) asked.mistake = "it answered with an error";
    if (asked.mistake.empty()) continue;
    return report.fail("completion of \"" + argument + "\" of " + words + " for \"" + typed + "\": " + asked.mistake +
                       (asked.in_stead ? "" : "; where nothing is known, give an empty list"));
  }
}

void check_completion(Inspection& inspection, CheckReport& report) {
  bool any = false;
  for (const auto& prompt : inspection.components->prompts) {
    for (const auto& argument : prompt.arguments) {
      any = any || prompt.completes;
      if (prompt.completes)
        complete(inspection, {{"type", "ref/prompt"}, {"name", prompt.name}}, argument, "prompt " + prompt.name,
                 report);
    }
  }
  for (const auto& each : inspection.components->resource_templates) {
    const std::string text(each.uri_template.text());
    for (const auto& variable : each.uri_template.variables()) {
      any = any || each.completes;
      if (each.completes)
        complete(inspection, {{"type", "ref/resource"}, {"uri", text}}, variable, "template " + text, report);
    }
  }
  if (!any) report.skip("it completes nothing");
}

}  // namespace

std::span<const Check> argument_checks() {
  static constexpr std::array checks{
      Check{"border-arguments", "smallest, largest, empty, long and foreign arguments are answered",
            check_border_arguments},
      Check{"invalid-arguments", "what the host refuses does not end it", check_invalid_arguments},
      Check{"unknown-names", "what it does not have is answered with an error", check_unknown_names},
      Check{"completion", "what may be filled in is told", check_completion},
  };
  return checks;
}

}  // namespace mcph
