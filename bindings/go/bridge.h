/* What cgo cannot say by itself: the tables of C functions by which the host calls a plugin in Go, and its contract. */
#ifndef MCP_GO_BRIDGE_H
#define MCP_GO_BRIDGE_H

#include <stddef.h>

#include <mcp/bundle.h>
#include <mcp/caller.h>
#include <mcp/capabilities.h>
#include <mcp/metrics.h>
#include <mcp/plugin.h>
#include <mcp/store.h>
#include <mcp/subscriptions.h>

/* What the plugin says of itself: texts that live for ever. Called once, before the host asks for the table. */
void mcp_go_name(mcp_string name, mcp_string version, uint32_t flags);
void mcp_go_about(mcp_string id, mcp_string vendor, mcp_string description, mcp_string url);

/* What the host writes into a sink whose context this is, joined; to be freed. */
typedef struct {
  char* data;
  size_t size;
} answer;
void mcp_go_append(void* context, mcp_string piece);

mcp_subscription_listener mcp_go_listener(uintptr_t self);

#endif
