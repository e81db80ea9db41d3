// Asks a running server what a command line asks, as a client of revision 2026-07-28 does over HTTP. Free functions.
#pragma once

#include "base/json.hpp"
#include "cli/given_answers.hpp"
#include "cli/options.hpp"

namespace mcph {

// Each returns the exit status.
int ask_server(const CallCommand& command, Json arguments, GivenAnswers answers);
int list_server(const ListCommand& command);

}  // namespace mcph
