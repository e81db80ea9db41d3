#include "cli/call_params.hpp"

#include <string>
#include <utility>

namespace mcph {

Json params_of(const CallCommand& command, Json arguments) {
  switch (command.method) {
    case PluginMethod::tools_call:
    case PluginMethod::prompts_get:
      return {{"name", command.component}, {"arguments", std::move(arguments)}};
    case PluginMethod::resources_read:
      return {{"uri", command.component}};
    case PluginMethod::completion_complete:
      break;
  }
  const bool is_template = command.component.find(':') != std::string::npos;
  return {{"ref", is_template ? Json{{"type", "ref/resource"}, {"uri", command.component}}
                              : Json{{"type", "ref/prompt"}, {"name", command.component}}},
          {"argument", {{"name", command.completed}, {"value", command.typed}}},
          {"context", {{"arguments", std::move(arguments)}}}};
}

}  // namespace mcph
