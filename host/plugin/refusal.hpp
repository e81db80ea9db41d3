// Ends a call in its plugin's stead.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "plugin/call.hpp"
#include "plugin/plugin.hpp"

namespace mcph {

// Completes the call with an internal error (JSON-RPC 2.0, section 5.1) that says why. [any]
void refuse(Call& call, std::string_view message);

// The same for one that was cancelled before its plugin has heard of it; with the plugin, the reason, and the limit
// where that is the reason. [any]
void refuse_cancelled(Call& call, CancelReason reason, const PluginIdentity& plugin, const PluginLimits& limits);

// "1.5 s", for messages.
std::string in_seconds(std::chrono::milliseconds time);

}  // namespace mcph
