/* A plugin that uses all of version 1.0 of the contract: see the README beside its folder. */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mcp/caller.h>
#include <mcp/plugin.h>
#include <mcp/server_info.h>

struct sample {
  const mcp_host* host;
  int started;
  atomic_ulong waiting; /* the one call that waits to be cancelled, or 0 */
};

/* What a host writes into a sink, cut off where there is no more room. */
struct written {
  size_t size;
  char text[4096];
};

static mcp_string text(const char* zero_terminated) {
  mcp_string string = {zero_terminated, strlen(zero_terminated)};
  return string;
}

static void write(void* context, mcp_string piece) {
  struct written* written = context;
  size_t room = sizeof written->text - 1 - written->size;
  size_t size = piece.size < room ? (size_t)piece.size : room;
  if (size == 0) return;
  memcpy(written->text + written->size, piece.data, size);
  written->size += size;
}

static void* create(const mcp_host* host, const mcp_sink* error) {
  struct sample* self = calloc(1, sizeof *self);
  if (self == NULL) {
    error->write(error->context, text("out of memory"));
    return NULL;
  }
  self->host = host;
  return self;
}

static int32_t describe(void* self, const mcp_sink* sink, const mcp_sink* error) {
  struct written configuration = {0, {0}};
  mcp_sink into = {&configuration, write};
  const mcp_host* host = ((struct sample*)self)->host;
  host->configuration(host, &into);
  if (strstr(configuration.text, "undescribed") != NULL) {
    error->write(error->context, text("it was told to fail"));
    return 1;
  }
  sink->write(sink->context, text("{\"tools\":[{\"name\":\"known\",\"inputSchema\":{\"type\":\"object\"}},"));
  sink->write(sink->context, text("{\"name\":\"wait\",\"inputSchema\":{\"type\":\"object\"}}]}"));
  return 0;
}

static int32_t start(void* self, const mcp_sink* error) {
  (void)error;
  ((struct sample*)self)->started = 1;
  return 0;
}

/* A tool that tells what the host says of the call. */
static void tell_what_is_known(struct sample* self, mcp_call_id call) {
  const mcp_host* host = self->host;
  const mcp_caller* callers = host->get_interface(host, MCP_CALLER);
  const mcp_server_info* info = host->get_interface(host, MCP_SERVER_INFO);
  struct written result = {0, {0}};
  mcp_sink sink = {&result, write};
  write(&result, text("{\"content\":[],\"structuredContent\":{\"context\":"));
  host->call_context(host, call, &sink);
  if (callers != NULL && MCP_HAS(callers, mcp_caller, describe)) {
    write(&result, text(",\"caller\":"));
    callers->describe(host, call, &sink);
  }
  if (info != NULL && MCP_HAS(info, mcp_server_info, describe)) {
    write(&result, text(",\"server\":"));
    info->describe(host, &sink);
  }
  write(&result, text(self->started ? ",\"started\":true}}" : ",\"started\":false}}"));
  host->progress(host, call, 1, 1, text("told"));
  host->log(host, call, MCP_LOG_INFO, text("told"));
  host->resource_updated(host, text("sample://none"));
  host->complete(host, call, MCP_OUTCOME_RESULT, text(result.text));
}

/* The call may be cancelled before invoke has come to know of it, and while it does. */
static void end_waiting(struct sample* self, mcp_call_id call) {
  unsigned long expected = (unsigned long)call;
  char error[64];
  if (!atomic_compare_exchange_strong(&self->waiting, &expected, 0)) return;
  snprintf(error, sizeof error, "{\"code\":-32603,\"message\":\"cancelled %d\"}",
           (int)self->host->is_cancelled(self->host, call));
  self->host->complete(self->host, call, MCP_OUTCOME_ERROR, text(error));
}

static void invoke(void* instance, mcp_call_id call, mcp_string method, mcp_string params) {
  struct sample* self = instance;
  struct written given = {0, {0}};
  (void)method;
  write(&given, params);
  if (strstr(given.text, "\"wait\"") == NULL) {
    tell_what_is_known(self, call);
    return;
  }
  atomic_store(&self->waiting, call);
  if (self->host->is_cancelled(self->host, call) != MCP_CANCEL_NONE) end_waiting(self, call);
}

static void cancel(void* instance, mcp_call_id call, int32_t reason) {
  (void)reason;
  end_waiting(instance, call);
}

static void stop(void* self) {
  free(self);
}

static const mcp_plugin plugin = {
    .size = sizeof plugin,
    .flags = MCP_PLUGIN_SERIAL,
    .name = {"kept", sizeof "kept" - 1},
    .version = {"1.0.0", sizeof "1.0.0" - 1},
    .id = {"test.kept", sizeof "test.kept" - 1},
    .vendor = {"The tests", sizeof "The tests" - 1},
    .description = {"Was built long ago.", sizeof "Was built long ago." - 1},
    .url = {"https://example.org/kept", sizeof "https://example.org/kept" - 1},
    .create = create,
    .describe = describe,
    .start = start,
    .invoke = invoke,
    .cancel = cancel,
    .stop = stop,
};

MCP_PLUGIN_EXPORT const mcp_plugin* mcp_plugin_entry_v1(void) {
  return &plugin;
}
