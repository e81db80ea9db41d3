// mock: tools, resources and prompts that a file describes, with the answers of a real server or those that a test
// needs: for people who build clients and agents before the real thing is there. docs/mock-plugin.md says all that it
// knows.
//
//   {"tools": [{
//     "name": "get_weather", "description": "The weather of a place.",
//     "inputSchema": {"type": "object", "properties": {"location": {"type": "string"}}, "required": ["location"]},
//     "scenarios": [{"condition": {"field": "location", "operator": "equals", "value": "San Francisco"},
//                    "response": {"temperature": 18, "condition": "fog"}}],
//     "default": {"response": "Sunny."}}]}
#include <mcp/plugin/typed.hpp>

#include "mock/setup.hpp"

MCP_PLUGIN("mock", "1.0.0", plugins::mock::setup,
           mcp::About{.vendor = "mcp-plugin-host",
                      .description = "Answers as a file says: tools, resources and prompts that are not there yet."})
