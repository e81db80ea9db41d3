/* A plugin in plain C: a tool that counts how often it has been called, and a resource. */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mcp/plugin.h>

struct counter {
  const mcp_host* host;
  atomic_ulong calls; /* invoke may run on several threads at once */
};

static mcp_string text(const char* zero_terminated) {
  mcp_string string = {zero_terminated, strlen(zero_terminated)};
  return string;
}

static int equals(mcp_string string, const char* other) {
  return string.size == strlen(other) && memcmp(string.data, other, (size_t)string.size) == 0;
}

static void* create(const mcp_host* host, const mcp_sink* error) {
  struct counter* self = malloc(sizeof *self);
  if (self == NULL) {
    error->write(error->context, text("out of memory"));
    return NULL;
  }
  self->host = host;
  atomic_init(&self->calls, 0);
  return self;
}

static int32_t describe(void* self, const mcp_sink* sink, const mcp_sink* error) {
  (void)self;
  (void)error;
  sink->write(sink->context,
              text("{\"tools\":[{\"name\":\"count\",\"description\":\"Counts its calls.\","
                   "\"inputSchema\":{\"type\":\"object\",\"properties\":{},\"additionalProperties\":false},"
                   "\"annotations\":{\"openWorldHint\":false}}],"));
  sink->write(sink->context, text("\"resources\":[{\"uri\":\"counter://about\",\"name\":\"about\","
                                  "\"description\":\"What this plugin is.\",\"mimeType\":\"text/plain\"}]}"));
  return 0;
}

static void invoke(void* instance, mcp_call_id call, mcp_string method, mcp_string params) {
  struct counter* self = instance;
  char result[128];
  /* There is one component of each kind, so the method alone tells which is meant. With more of them, or with
   * arguments, read `params` with a JSON library. */
  (void)params;
  if (equals(method, "tools/call")) {
    unsigned long calls = atomic_fetch_add(&self->calls, 1) + 1;
    snprintf(result, sizeof result, "{\"content\":[{\"type\":\"text\",\"text\":\"%lu\"}]}", calls);
    self->host->complete(self->host, call, MCP_OUTCOME_RESULT, text(result));
  } else if (equals(method, "resources/read")) {
    self->host->complete(self->host, call, MCP_OUTCOME_RESULT,
                         text("{\"contents\":[{\"uri\":\"counter://about\",\"mimeType\":\"text/plain\","
                              "\"text\":\"A plugin in plain C.\"}]}"));
  } else {
    self->host->complete(self->host, call, MCP_OUTCOME_ERROR, text("{\"code\":-32601,\"message\":\"Unknown method\"}"));
  }
}

static void stop(void* self) {
  free(self);
}

static const mcp_plugin plugin = {
    .size = sizeof plugin,
    .name = {"counter", sizeof "counter" - 1},
    .version = {"1.0.0", sizeof "1.0.0" - 1},
    .create = create,
    .describe = describe,
    .invoke = invoke,
    .stop = stop,
};

MCP_PLUGIN_EXPORT const mcp_plugin* mcp_plugin_entry_v1(void) {
  return &plugin;
}
