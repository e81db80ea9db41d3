// Ends a call in its plugin's stead.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "plugin/call.hpp"

namespace mcph {

// Completes the call with an internal error (JSON-RPC 2.0, section 5.1) that says why. [any]
void refuse(Call& call, std::string_view message);

// "1.5 s", for messages.
std::string in_seconds(std::chrono::milliseconds time);

}  // namespace mcph
