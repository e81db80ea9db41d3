// Which component a request asks for, by what its method says of that and nothing else. A free function; any thread.
#pragma once

#include <optional>

#include "base/json_document.hpp"
#include "plugin/method.hpp"

namespace mcph {

// The name or the URI in the params, as the client has sent it. None: the method is about no component.
JsonValue component_in(std::optional<Method> method, JsonValue params);

}  // namespace mcph
