// prompts: four messages that are worth having ready.
//
//   greeting       greets somebody: formal, casual, friendly, or as a pirate
//   code_review    a review of code, which goes along as an embedded resource
//   summarize      a summary, for an audience and of a length
//   explain_error  what an error message means and what to do
//
// It has no configuration.
#include <mcp/plugin/typed.hpp>

#include "prompts/setup.hpp"

MCP_PLUGIN("prompts", "1.0.0", plugins::prompts::setup,
           mcp::About{.vendor = "mcp-plugin-host", .description = "Prompts that are worth having ready."})
