// The params of a request for what a command line asks.
#pragma once

#include "base/json.hpp"
#include "cli/options.hpp"

namespace mcph {

Json params_of(const CallCommand& command, Json arguments);

}  // namespace mcph
