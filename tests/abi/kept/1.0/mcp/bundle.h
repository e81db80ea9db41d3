/* SPDX-License-Identifier: Apache-2.0
 *
 * mcp/bundle.h: an optional interface of the host, for plugins that bring files of their own: a folder NAME.plugin with
 * the library and all that it needs.
 *
 *     const mcp_bundle *bundle = host->get_interface(host, MCP_BUNDLE);
 *     if (bundle && MCP_HAS(bundle, mcp_bundle, directory)) bundle->directory(host, &sink);
 *
 * A host lacks it for a plugin whose library lies alone. The table is the host's, constant, and valid as long as the
 * mcp_host that it was asked from.
 */
#ifndef MCP_BUNDLE_H
#define MCP_BUNDLE_H

#include <mcp/plugin.h>

#define MCP_BUNDLE "mcp.bundle/1"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mcp_bundle {
  uint32_t size; /* sizeof(mcp_bundle) as the host knew it */
  uint32_t reserved;

  /* [any] Writes the absolute path of the folder in which this version of the bundle can be read, from create until
   * stop has returned. It is a copy that does not change: another version has another one. Write nothing into it; what
   * shall last belongs into mcp_host.data_directory. `host` is the mcp_host that was given to create. */
  void (*directory)(const mcp_host* host, const mcp_sink* sink);
} mcp_bundle;

#ifdef __cplusplus
}
#endif

#endif /* MCP_BUNDLE_H */
