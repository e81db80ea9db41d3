/* SPDX-License-Identifier: Apache-2.0
 *
 * mcp/subscriptions.h: an optional interface of the host, for plugins to which it matters which of their resources
 * clients are subscribed to: what nobody is subscribed to need not be watched.
 *
 *     const mcp_subscriptions *subscriptions = host->get_interface(host, MCP_SUBSCRIPTIONS);
 *     if (subscriptions && MCP_HAS(subscriptions, mcp_subscriptions, listen)) subscriptions->listen(host, &listener);
 *
 * A host may lack it. The table is the host's, constant, and valid as long as the mcp_host that it was asked from.
 *
 * A URI is here as the plugin knows it from resources/read: that of a resource as it was described, that of a template
 * in the one form in which all ways to percent-encode a URI are the same. Clients of all revisions count, and several
 * that are subscribed to one resource count once. A version is told from when its components are served until another
 * one's are served in its place.
 */
#ifndef MCP_SUBSCRIPTIONS_H
#define MCP_SUBSCRIPTIONS_H

#include <mcp/plugin.h>

#define MCP_SUBSCRIPTIONS "mcp.subscriptions/1"

#ifdef __cplusplus
extern "C" {
#endif

/* What the plugin gives to be told. The host copies it, as far as its size says. */
typedef struct mcp_subscription_listener {
  uint32_t size; /* sizeof(mcp_subscription_listener) as the plugin knew it */
  uint32_t reserved;
  void* context; /* the plugin's own */

  /* By the host, on a thread that may block, one call of the two at a time, never beside or after stop. Clients are
   * subscribed to the resource now; nobody is any more. What has been undone before it could be told is not told. Each
   * may be null. */
  void (*subscribed)(void* context, mcp_string uri);
  void (*unsubscribed)(void* context, mcp_string uri);
} mcp_subscription_listener;

typedef struct mcp_subscriptions {
  uint32_t size; /* sizeof(mcp_subscriptions) as the host knew it */
  uint32_t reserved;

  /* [any] Writes a JSON array of the URIs that clients are subscribed to now. `host` is the mcp_host that was given to
   * create, as for the next. */
  void (*list)(const mcp_host* host, const mcp_sink* sink);

  /* [any] Tells the listener from now on, first of all that clients are subscribed to already. It takes the place of
   * the one before, which is not called any more when this returns, but where that itself is the caller. Null: nobody
   * is told any more. */
  void (*listen)(const mcp_host* host, const mcp_subscription_listener* listener);
} mcp_subscriptions;

#ifdef __cplusplus
}
#endif

#endif /* MCP_SUBSCRIPTIONS_H */
