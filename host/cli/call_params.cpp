#include "cli/call_params.hpp"

#include <string>
#include <utility>

#include "base/json_text.hpp"

namespace mcph {
namespace {

// MCP has texts alone as the arguments of prompts and completions, but people write {"people": 3}.
Json as_texts(Json arguments) {
  if (!arguments.is_object()) return arguments;
  for (auto& argument : arguments) {
    if (argument.is_number() || argument.is_boolean()) argument = dump(argument);
  }
  return arguments;
}

}  // namespace

Json params_of(const CallCommand& command, Json arguments, bool is_prompt) {
  switch (command.method) {
    case PluginMethod::tools_call:
      return {{"name", command.component}, {"arguments", std::move(arguments)}};
    case PluginMethod::prompts_get:
      return {{"name", command.component}, {"arguments", as_texts(std::move(arguments))}};
    case PluginMethod::resources_read:
      return {{"uri", command.component}};
    case PluginMethod::completion_complete:
      break;
  }
  const bool is_template = !is_prompt && command.component.find(':') != std::string::npos;
  return {{"ref", is_template ? Json{{"type", "ref/resource"}, {"uri", command.component}}
                              : Json{{"type", "ref/prompt"}, {"name", command.component}}},
          {"argument", {{"name", command.completed}, {"value", command.typed}}},
          {"context", {{"arguments", as_texts(std::move(arguments))}}}};
}

}  // namespace mcph
