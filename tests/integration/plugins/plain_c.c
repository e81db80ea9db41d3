/* A plugin in plain C: one tool, which returns its params as they came. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mcp/plugin.h>

static mcp_string text(const char* zero_terminated) {
  mcp_string string = {zero_terminated, strlen(zero_terminated)};
  return string;
}

static void* create(const mcp_host* host, const mcp_sink* error) {
  const mcp_host** self = malloc(sizeof *self);
  if (self == NULL) {
    error->write(error->context, text("out of memory"));
    return NULL;
  }
  *self = host;
  return self;
}

static int32_t describe(void* self, const mcp_sink* sink, const mcp_sink* error) {
  (void)self;
  (void)error;
  sink->write(sink->context, text("{\"tools\":[{\"name\":\"params\",\"description\":\"Returns its params.\","
                                  "\"inputSchema\":{\"type\":\"object\"}}]}"));
  return 0;
}

static void invoke(void* instance, mcp_call_id call, mcp_string method, mcp_string params) {
  const mcp_host* host = *(const mcp_host**)instance;
  const char* before = "{\"content\":[],\"structuredContent\":";
  char* result = malloc(strlen(before) + (size_t)params.size + 2);
  (void)method;
  if (result == NULL) {
    host->complete(host, call, MCP_OUTCOME_ERROR, text("{\"code\":-32603,\"message\":\"out of memory\"}"));
    return;
  }
  sprintf(result, "%s%.*s}", before, (int)params.size, params.data);
  host->complete(host, call, MCP_OUTCOME_RESULT, text(result));
  free(result);
}

static void stop(void* self) {
  free(self);
}

static const mcp_plugin plugin = {
    .size = sizeof plugin,
    .name = {"plain_c", sizeof "plain_c" - 1},
    .version = {"1.0.0", sizeof "1.0.0" - 1},
    .create = create,
    .describe = describe,
    .invoke = invoke,
    .stop = stop,
};

MCP_PLUGIN_EXPORT const mcp_plugin* mcp_plugin_entry_v1(void) {
  return &plugin;
}
