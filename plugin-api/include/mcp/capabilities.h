/* SPDX-License-Identifier: Apache-2.0
 *
 * mcp/capabilities.h: an optional interface of the host, for plugins that add to what the server says that it can do.
 * What a plugin adds is a member of what it describes, beside its components, and so is served and withdrawn with them:
 *
 *     "capabilities": {"extensions": {"com.example/search": {"languages": ["en"]}}, "experimental": {"drafts": {}}}
 *
 * A host that has this interface tells it to clients, in the answer to initialize and to server/discover; an older one
 * passes it over.
 *
 *     const mcp_capabilities *capabilities = host->get_interface(host, MCP_CAPABILITIES);
 *     if (capabilities && MCP_HAS(capabilities, mcp_capabilities, check)) ok = capabilities->check(host, json, &error);
 *
 * The table is the host's, constant, and valid as long as the mcp_host that it was asked from.
 *
 * Both members are optional, and their members objects of up to 4096 bytes, 16 at most in each. The name of an
 * extension is PREFIX/NAME, as the keys of _meta with a prefix (MCP 2026-07-28, basic, "_meta"): a domain of yours in
 * reverse, com.example/search; what has "modelcontextprotocol" or "mcp" as its second label is MCP's and refused. The
 * name of an experimental capability has 1 to 128 bytes and no control characters. Where two plugins add the same, the
 * first by its file's path counts.
 */
#ifndef MCP_CAPABILITIES_H
#define MCP_CAPABILITIES_H

#include <mcp/plugin.h>

#define MCP_CAPABILITIES "mcp.capabilities/1"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mcp_capabilities {
  uint32_t size; /* sizeof(mcp_capabilities) as the host knew it */
  uint32_t reserved;

  /* [any] Whether the host would take this as the member "capabilities": 0, or another number, with why not written to
   * `error`, which may be null. A description with what it would not take is refused as a whole. `host` is the mcp_host
   * that was given to create. */
  int32_t (*check)(const mcp_host* host, mcp_string json, const mcp_sink* error);
} mcp_capabilities;

#ifdef __cplusplus
}
#endif

#endif /* MCP_CAPABILITIES_H */
