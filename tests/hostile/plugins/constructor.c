/* A library that never becomes a plugin: what it does when it is mapped is set by the build. */
#include <stdlib.h>
#include <unistd.h>

#include <mcp/plugin.h>

__attribute__((constructor)) static void construct(void) {
  CONSTRUCTOR;
}

MCP_PLUGIN_EXPORT const mcp_plugin* mcp_plugin_entry_v1(void) {
  return NULL;
}
