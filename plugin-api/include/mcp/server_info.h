/* SPDX-License-Identifier: Apache-2.0
 *
 * mcp/server_info.h: an optional interface of the host, for plugins that show what the host is and does.
 *
 *     const mcp_server_info *info = host->get_interface(host, MCP_SERVER_INFO);
 *     if (info && MCP_HAS(info, mcp_server_info, describe)) info->describe(host, &sink);
 *
 * A host may lack it. The table is the host's, constant, and valid as long as the mcp_host that it was asked from.
 */
#ifndef MCP_SERVER_INFO_H
#define MCP_SERVER_INFO_H

#include <mcp/plugin.h>

#define MCP_SERVER_INFO "mcp.server-info/1"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mcp_server_info {
  uint32_t size; /* sizeof(mcp_server_info) as the host knew it */
  uint32_t reserved;

  /* [any] Writes one JSON object, as the host is, or was a tenth of a second ago at most:
   *
   *     {"name", "version",
   *      "protocolVersions": {"legacy": ["2024-11-05", ...], "modern": ["2026-07-28", ...]},
   *      "plugins": [{"file", "name", "version", "calls": {"total", "errors", "inFlight"}?,
   *                   "components": {"tools", "resources", "resourceTemplates", "prompts"}}, ...],
   *      "limits": {name: number, ...},
   *      "features": {name: true or false, ...}?,
   *      "uptimeSeconds": number?}
   *
   * "file" is relative to the folder of components; each member of "components" is an array of names, or of URIs.
   * "plugins" is empty where not everybody may see all of them, because the host does not know for whom it is asked.
   * More members may be there. `host` is the mcp_host that was given to create. */
  void (*describe)(const mcp_host* host, const mcp_sink* sink);
} mcp_server_info;

#ifdef __cplusplus
}
#endif

#endif /* MCP_SERVER_INFO_H */
