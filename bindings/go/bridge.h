/* What cgo cannot say by itself: the table of C functions by which the host calls a plugin in Go, and its contract. */
#ifndef MCP_GO_BRIDGE_H
#define MCP_GO_BRIDGE_H

#include <mcp/caller.h>
#include <mcp/plugin.h>

/* What the plugin says of itself: texts that live for ever. Called once, before the host asks for the table. */
void mcp_go_name(mcp_string name, mcp_string version, uint32_t flags);
void mcp_go_about(mcp_string id, mcp_string vendor, mcp_string description, mcp_string url);

#endif
