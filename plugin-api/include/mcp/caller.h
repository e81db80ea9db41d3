/* SPDX-License-Identifier: Apache-2.0
 *
 * mcp/caller.h: an optional interface of the host, for plugins to which it matters who calls.
 *
 *     const mcp_caller *caller = host->get_interface(host, MCP_CALLER);
 *     if (caller && MCP_HAS(caller, mcp_caller, describe)) caller->describe(host, call, &sink);
 *
 * A host may lack it. The table is the host's, constant, and valid as long as the mcp_host that it was asked from.
 */
#ifndef MCP_CALLER_H
#define MCP_CALLER_H

#include <mcp/plugin.h>

#define MCP_CALLER "mcp.caller/1"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mcp_caller {
  uint32_t size; /* sizeof(mcp_caller) as the host knew it */
  uint32_t reserved;

  /* [any] Writes one JSON object:
   *
   *     {"principal": {"id", "subject"?, "name"?, "email"?, "groups": [...]?, "roles": [...]?, "scopes": [...]?}?}
   *
   * "principal" is who the host has found to be calling, and absent if nobody has proven who they are. "id" is not
   * empty, and the same for all calls of one principal; "subject" is unique for whoever vouches for them, "name" is for
   * people. They are strings, and the others arrays of strings, absent where the host knows of none. More members may
   * be there; a token or a password never is. What a client says of itself is not here but in mcp_host.call_context.
   * Writes nothing for an unknown call. `host` is the mcp_host that was given to create. */
  void (*describe)(const mcp_host* host, mcp_call_id call, const mcp_sink* sink);
} mcp_caller;

#ifdef __cplusplus
}
#endif

#endif /* MCP_CALLER_H */
