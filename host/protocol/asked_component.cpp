#include "protocol/asked_component.hpp"

namespace mcph {

JsonValue component_in(std::optional<Method> method, JsonValue params) {
  if (!method) return {};
  switch (*method) {
    case Method::tools_call:
    case Method::prompts_get:
      return params.find("name");
    case Method::resources_read:
    case Method::resources_subscribe:
    case Method::resources_unsubscribe:
      return params.find("uri");
    case Method::completion_complete: {
      const auto ref = params.find("ref");
      const auto prompt = ref.find("name");
      return prompt ? prompt : ref.find("uri");
    }
    default:
      return {};
  }
}

}  // namespace mcph
