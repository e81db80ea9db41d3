// The components that the official server suite calls by name, in groups. Each function registers one group; setup
// calls them all. What a component must answer is in the description of the suite's scenario of nearly the same name.
#pragma once

#include <mcp/plugin.hpp>

namespace conformance {

void register_contents(mcp::Plugin& plugin);
void register_behaviours(mcp::Plugin& plugin);
void register_input_requests(mcp::Plugin& plugin);
void register_input_required_flows(mcp::Plugin& plugin);
void register_resources(mcp::Plugin& plugin);
void register_prompts(mcp::Plugin& plugin);
void register_tasks(mcp::Plugin& plugin);

}  // namespace conformance
