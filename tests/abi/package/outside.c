#include <mcp/plugin.h>

static const mcp_plugin plugin = {.size = sizeof plugin, .name = {"outside_c", 9}, .version = {"1.0.0", 5}};

MCP_PLUGIN_EXPORT const mcp_plugin* mcp_plugin_entry_v1(void) {
  return &plugin;
}
