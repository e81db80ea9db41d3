// profile: who the user is, by what the client has proven to the host.
//
//   user://profile   the user's id, name, email address, groups and roles
//   user-context     a message that tells the model of them: to welcome, to say where things stand, or to sum up
//
// Both are for whoever asks, and say nothing of anybody else. Without a proven user they are refused. It has no
// configuration.
#include <mcp/plugin/typed.hpp>

#include "profile/setup.hpp"

MCP_PLUGIN("profile", "1.0.0", plugins::profile::setup,
           mcp::About{.vendor = "mcp-plugin-host", .description = "Tells a model who its user is."})
