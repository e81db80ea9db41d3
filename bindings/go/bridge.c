/* Each function only hands on what it is given. A text is handed on where it lies, so Go keeps none beyond the call. */
#include "bridge.h"

#include <stdlib.h>
#include <string.h>

#include "_cgo_export.h"

static GoString as_go(mcp_string text) {
  GoString string = {text.data, (ptrdiff_t)text.size};
  return string;
}

static void* create(const mcp_host* host, const mcp_sink* error) {
  return (void*)mcpGoCreate((void*)host, (void*)error);
}

static int32_t describe(void* self, const mcp_sink* sink, const mcp_sink* error) {
  return mcpGoDescribe((uintptr_t)self, (void*)sink, (void*)error);
}

static int32_t start(void* self, const mcp_sink* error) {
  return mcpGoStart((uintptr_t)self, (void*)error);
}

static void invoke(void* self, mcp_call_id call, mcp_string method, mcp_string params) {
  mcpGoInvoke((uintptr_t)self, call, as_go(method), as_go(params));
}

static void cancel(void* self, mcp_call_id call, int32_t reason) {
  mcpGoCancel((uintptr_t)self, call, reason);
}

static void stop(void* self) {
  mcpGoStop((uintptr_t)self);
}

static mcp_plugin plugin = {
    .size = sizeof plugin,
    .create = create,
    .describe = describe,
    .start = start,
    .invoke = invoke,
    .cancel = cancel,
    .stop = stop,
};

void mcp_go_name(mcp_string name, mcp_string version, uint32_t flags) {
  plugin.name = name;
  plugin.version = version;
  plugin.flags = flags;
}

void mcp_go_about(mcp_string id, mcp_string vendor, mcp_string description, mcp_string url) {
  plugin.id = id;
  plugin.vendor = vendor;
  plugin.description = description;
  plugin.url = url;
}

void mcp_go_append(void* context, mcp_string piece) {
  answer* const all = context;
  char* const data = realloc(all->data, all->size + (size_t)piece.size + 1);
  if (data == NULL) abort();
  if (piece.size > 0) memcpy(data + all->size, piece.data, (size_t)piece.size);
  all->data = data;
  all->size += (size_t)piece.size;
}

static void subscribed(void* self, mcp_string uri) {
  mcpGoTell((uintptr_t)self, as_go(uri), 1);
}

static void unsubscribed(void* self, mcp_string uri) {
  mcpGoTell((uintptr_t)self, as_go(uri), 0);
}

mcp_subscription_listener mcp_go_listener(uintptr_t self) {
  const mcp_subscription_listener listener = {
      .size = sizeof listener,
      .context = (void*)self,
      .subscribed = subscribed,
      .unsubscribed = unsubscribed,
  };
  return listener;
}

MCP_PLUGIN_EXPORT const mcp_plugin* mcp_plugin_entry_v1(void) {
  mcpGoEntry();
  return &plugin;
}
