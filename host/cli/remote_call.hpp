// Asks a running server what a command line asks, as a client of revision 2026-07-28 does over HTTP. A free function.
#pragma once

#include "base/json.hpp"
#include "cli/given_answers.hpp"
#include "cli/options.hpp"

namespace mcph {

// The exit status.
int ask_server(const CallCommand& command, Json arguments, GivenAnswers answers);

}  // namespace mcph
