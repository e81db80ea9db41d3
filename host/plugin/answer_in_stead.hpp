// Ends a call in its plugin's stead.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "plugin/call.hpp"
#include "plugin/plugin.hpp"

namespace mcph {

// Completes the call with an internal error (JSON-RPC 2.0, section 5.1) that says why. [any]
void refuse(Call& call, std::string_view message);

// "because this server is stopping". [any]
std::string why_cancelled(CancelReason reason, const Call& call, const PluginLimits& limits);

// Refuses a call that was cancelled before its plugin has heard of it; with the plugin, the reason, and the limit where
// that is the reason. [any]
void refuse_cancelled(Call& call, CancelReason reason, const PluginIdentity& plugin, const PluginLimits& limits);

// Refuses calls of the plugin, which will not be given them any more. [any]
void refuse_all(const std::vector<std::shared_ptr<Call>>& calls, const PluginIdentity& plugin, std::string_view why);

}  // namespace mcph
