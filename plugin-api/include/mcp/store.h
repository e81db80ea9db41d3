/* SPDX-License-Identifier: Apache-2.0
 *
 * mcp/store.h: an optional interface of the host, for plugins that keep small values: they outlive the instance, its
 * process and the host, and all instances of one plugin have the same ones, also those of hosts beside this one that
 * have the same data folder.
 *
 *     const mcp_store *store = host->get_interface(host, MCP_STORE);
 *     if (store && MCP_HAS(store, mcp_store, put)) store->put(host, key, value, MCP_STORE_ANY, NULL, &error);
 *
 * A host may lack it. The table is the host's, constant, and valid as long as the mcp_host that it was asked from.
 *
 * A key is UTF-8 text of 1 to 256 bytes without control characters, a value any bytes, 32768 at most. How many keys
 * there may be, and how many bytes all keys and values together, the operator says. Each function returns when what it
 * has done will last: it may wait for a disk, and for another instance. It returns one of the MCP_STORE_* below, and
 * writes why to `error`, which may be null, for each but MCP_STORE_DONE, MCP_STORE_ABSENT and MCP_STORE_CHANGED.
 */
#ifndef MCP_STORE_H
#define MCP_STORE_H

#include <mcp/plugin.h>

#define MCP_STORE "mcp.store/1"

/* What has come of it. */
#define MCP_STORE_DONE 0
#define MCP_STORE_ABSENT 1  /* there is no such key */
#define MCP_STORE_CHANGED 2 /* its revision is not the one that was asked for, and nothing has been done */
#define MCP_STORE_INVALID 3 /* the key or the value is none that can be kept */
#define MCP_STORE_FULL 4    /* there is no room for it within the operator's limits, and nothing has been done */
#define MCP_STORE_FAILED 5  /* it cannot be read or kept now; what was to be changed may be as before or changed */

/* A revision that any is. */
#define MCP_STORE_ANY 0xFFFFFFFFFFFFFFFFU

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mcp_store {
  uint32_t size; /* sizeof(mcp_store) as the host knew it */
  uint32_t reserved;

  /* All are [any], and `host` is the mcp_host that was given to create. A revision is a number that a key has, which
   * each put gives another one, never twice the same, also after it has been erased; 0 is that of a key that is not
   * there. Where `revision` is not null, the key's is written there. */

  /* Writes the value. */
  int32_t (*get)(const mcp_host* host, mcp_string key, const mcp_sink* value, uint64_t* revision,
                 const mcp_sink* error);

  /* Puts the value in place of what is there, if that has the revision `if_revision`: 0 is for a key that must not be
   * there, MCP_STORE_ANY for whatever there is. Of several that want to put at the same revision one does. */
  int32_t (*put)(const mcp_host* host, mcp_string key, mcp_string value, uint64_t if_revision, uint64_t* revision,
                 const mcp_sink* error);

  /* The same for taking the key away. */
  int32_t (*erase)(const mcp_host* host, mcp_string key, uint64_t if_revision, const mcp_sink* error);

  /* Writes a JSON array of the keys that begin with `prefix`, which may be empty, in the order of their bytes. */
  int32_t (*list)(const mcp_host* host, mcp_string prefix, const mcp_sink* keys, const mcp_sink* error);
} mcp_store;

#ifdef __cplusplus
}
#endif

#endif /* MCP_STORE_H */
