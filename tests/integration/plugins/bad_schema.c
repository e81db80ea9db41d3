/* Describes a tool whose input schema no validator can compile. */
#include <string.h>

#include <mcp/plugin.h>

static mcp_string text(const char* zero_terminated) {
  mcp_string string = {zero_terminated, strlen(zero_terminated)};
  return string;
}

static void* create(const mcp_host* host, const mcp_sink* error) {
  static char instance; /* nothing is kept, but null would mean failure */
  (void)host;
  (void)error;
  return &instance;
}

static int32_t describe(void* self, const mcp_sink* sink, const mcp_sink* error) {
  (void)self;
  (void)error;
  sink->write(sink->context, text("{\"tools\":[{\"name\":\"broken\",\"description\":\"Broken.\","
                                  "\"inputSchema\":{\"type\":\"object\",\"properties\":7}}]}"));
  return 0;
}

static void invoke(void* self, mcp_call_id call, mcp_string method, mcp_string params) {
  (void)self;
  (void)call;
  (void)method;
  (void)params;
}

static void stop(void* self) {
  (void)self;
}

static const mcp_plugin plugin = {
    .size = sizeof plugin,
    .name = {"bad_schema", sizeof "bad_schema" - 1},
    .version = {"1.0.0", sizeof "1.0.0" - 1},
    .create = create,
    .describe = describe,
    .invoke = invoke,
    .stop = stop,
};

MCP_PLUGIN_EXPORT const mcp_plugin* mcp_plugin_entry_v1(void) {
  return &plugin;
}
