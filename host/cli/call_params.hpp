// The params of a request for what a command line asks.
#pragma once

#include "base/json.hpp"
#include "cli/options.hpp"

namespace mcph {

// `is_prompt` is of what is completed: a prompt has that name. Otherwise a ':' in it makes it a template, as in a URI.
Json params_of(const CallCommand& command, Json arguments, bool is_prompt = false);

}  // namespace mcph
