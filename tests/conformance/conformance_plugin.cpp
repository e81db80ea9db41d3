// Everything that the official server suite calls.
#include "components.hpp"

namespace {

void setup(mcp::Plugin& plugin) {
  conformance::register_contents(plugin);
  conformance::register_behaviours(plugin);
  conformance::register_input_requests(plugin);
  conformance::register_input_required_flows(plugin);
  conformance::register_resources(plugin);
  conformance::register_prompts(plugin);
  conformance::register_tasks(plugin);
}

}  // namespace

MCP_PLUGIN("conformance", "1.0.0", setup)
