// Plugins ask in the words of the newest revision. What an older one says differently is changed, and what it cannot
// say is refused, so that no client gets a request that its revision forbids. Free functions; any thread.
#pragma once

#include <optional>
#include <string>

#include "protocol/caller.hpp"
#include "protocol/message.hpp"

namespace mcph {

// Makes {name: {"method", "params"}} fit a client of a legacy revision. Why that is not possible, in words for the
// model or the user, if it is not.
std::optional<std::string> fit_input_requests(OrderedJson& requests, const Caller& caller);

}  // namespace mcph
