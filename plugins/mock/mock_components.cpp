#include "mock/mock_components.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <stdexcept>

#include "mock/answers.hpp"

namespace plugins::mock {
namespace {

using mcp::Json;

std::vector<std::string> argument_names(const PromptSettings& prompt) {
  std::vector<std::string> names;
  for (const auto& each : prompt.arguments.value_or(std::vector<ArgumentSettings>()))
    names.push_back(each.name);
  return names;
}

std::vector<std::string> argument_names(const ScenarioList&) {
  return {};
}

// What a URI's variables or a prompt's arguments are, as far as the conditions look at them.
template <class Texts>
Json fields_of(const Texts& texts, const Scenarios& scenarios) {
  Json fields = Json::object();
  for (const auto& name : scenarios.names()) {
    if (texts.has(name)) fields[name] = texts[name];
  }
  return fields;
}

// A call whose answer is delayed. Whoever takes it first, the time or a cancellation, answers it.
struct DelayedCall {
  explicit DelayedCall(mcp::Call delayed) : call(std::move(delayed)) {}
  mcp::Call call;
  std::atomic<bool> is_taken = false;
};

void answer_later(mcp::Executor& executor, mcp::Call call, const std::shared_ptr<const Scenarios>& scenarios,
                  const OutcomeSettings& outcome) {
  const auto delayed = std::make_shared<DelayedCall>(std::move(call));
  executor.after(std::chrono::milliseconds(outcome.delay_ms), [delayed, scenarios, &outcome] {
    if (!delayed->is_taken.exchange(true)) answer(delayed->call, outcome);
  });
  // Weak, because the call keeps this function.
  delayed->call.on_cancel([weak = std::weak_ptr(delayed)] {
    const auto cancelled = weak.lock();
    if (cancelled && !cancelled->is_taken.exchange(true)) cancelled->call.fail_if_cancelled();
  });
}

// What the host would refuse, so that what was served before is served on.
void require_tool(const ToolSettings& tool, const std::string& place) {
  const auto is_of_names = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
           c == '-';
  };
  constexpr std::size_t max_name = 128;
  if (tool.name.empty() || tool.name.size() > max_name || !std::all_of(tool.name.begin(), tool.name.end(), is_of_names))
    throw std::invalid_argument('"' + place + ".name\" must be 1 to 128 characters of A-Za-z0-9_.-");
  const auto& schema = tool.input_schema;
  if (schema && (!schema->is_object() || schema->value("type", Json()) != "object"))
    throw std::invalid_argument('"' + place + R"(.inputSchema" must have "type": "object")");
}

}  // namespace

MockComponents::MockComponents(mcp::Plugin& plugin, std::shared_ptr<mcp::Executor> executor)
    : plugin_(plugin), executor_(std::move(executor)) {}

void MockComponents::replace(const MockSettings& settings, const std::string& name) {
  auto next = checked(settings, name);
  withdraw(components_);
  try {
    enlist(next);
  } catch (...) {
    withdraw(next);
    enlist(components_);
    throw;
  }
  components_ = std::move(next);
}

MockComponents::Components MockComponents::checked(const MockSettings& settings, const std::string& name) {
  const auto check = [&name](const auto& wanted, Owner owner, const std::string& kind, auto& list) {
    if (!wanted) return;
    for (std::size_t i = 0; i < wanted->size(); ++i) {
      const auto place = (name.empty() ? kind : name + '.' + kind) + '[' + std::to_string(i) + ']';
      if constexpr (requires { (*wanted)[i].input_schema; }) require_tool((*wanted)[i], place);
      auto scenarios = std::make_shared<const Scenarios>((*wanted)[i], owner, place);
      for (const auto& [where, outcome] : scenarios->outcomes())
        require_answerable(outcome, argument_names((*wanted)[i]), where);
      if constexpr (requires { (*wanted)[i].uri; }) {
        if ((*wanted)[i].uri.has_value() == (*wanted)[i].uri_template.has_value())
          throw std::invalid_argument('"' + place + "\" must have one of uri and uriTemplate");
      }
      list.emplace_back((*wanted)[i], std::move(scenarios));
    }
  };
  Components components;
  check(settings.tools, Owner::tool, "tools", components.tools);
  check(settings.resources, Owner::resource, "resources", components.resources);
  check(settings.prompts, Owner::prompt, "prompts", components.prompts);
  return components;
}

void MockComponents::enlist(const Components& components) {
  for (const auto& [settings, scenarios] : components.tools)
    add_tool(settings, scenarios);
  for (const auto& [settings, scenarios] : components.resources)
    add_resource(settings, scenarios);
  for (const auto& [settings, scenarios] : components.prompts)
    add_prompt(settings, scenarios);
}

void MockComponents::withdraw(const Components& components) {
  for (const auto& [settings, scenarios] : components.tools)
    plugin_.remove_tool(settings.name);
  for (const auto& [settings, scenarios] : components.resources) {
    if (settings.uri) plugin_.remove_resource(*settings.uri);
    if (settings.uri_template) plugin_.remove_resource_template(*settings.uri_template);
  }
  for (const auto& [settings, scenarios] : components.prompts)
    plugin_.remove_prompt(settings.name);
}

void MockComponents::add_tool(const ToolSettings& settings, const SharedScenarios& scenarios) {
  const auto schema = settings.input_schema ? mcp::dump_json(*settings.input_schema) : R"({"type":"object"})";
  auto tool = plugin_.raw_async_tool(settings.name, settings.description, schema,
                                     [scenarios, executor = executor_](const Json& arguments, mcp::Call call) {
                                       const auto* const outcome = scenarios->outcome_for(arguments);
                                       if (outcome == nullptr) {
                                         call.fail("No scenario fits these arguments, and there is no default.");
                                       } else if (outcome->delay_ms == 0) {
                                         answer(call, *outcome);
                                       } else {
                                         answer_later(*executor, std::move(call), scenarios, *outcome);
                                       }
                                     });
  tool.read_only().open_world(false);
  if (settings.title) tool.title(*settings.title);
  if (settings.output_schema) tool.output_schema(mcp::dump_json(*settings.output_schema));
}

void MockComponents::add_resource(const ResourceSettings& settings, const SharedScenarios& scenarios) {
  const auto read = [scenarios](const mcp::Uri& uri) {
    const auto* const outcome = scenarios->outcome_for(fields_of(uri, *scenarios));
    if (outcome == nullptr) throw mcp::NotFound(uri.text());
    return resource_content(*outcome);
  };
  auto resource = settings.uri
                      ? plugin_.resource(*settings.uri, settings.name, settings.description, read)
                      : plugin_.resource_template(*settings.uri_template, settings.name, settings.description, read);
  if (settings.title) resource.title(*settings.title);
  if (settings.mime_type) resource.mime_type(*settings.mime_type);
}

void MockComponents::add_prompt(const PromptSettings& settings, const SharedScenarios& scenarios) {
  std::vector<mcp::Arg> arguments;
  for (const auto& each : settings.arguments.value_or(std::vector<ArgumentSettings>())) {
    auto& argument = arguments.emplace_back(mcp::arg(each.name, each.description));
    if (each.required) argument.required();
  }
  auto prompt =
      plugin_.prompt(settings.name, settings.description, arguments, [scenarios](const mcp::Arguments& given) {
        const auto* const outcome = scenarios->outcome_for(fields_of(given, *scenarios));
        if (outcome == nullptr) {
          throw mcp::ProtocolError(mcp::invalid_params, "No scenario fits these arguments, and there is no default.");
        }
        return prompt_messages(*outcome, given);
      });
  if (settings.title) prompt.title(*settings.title);
}

}  // namespace plugins::mock
