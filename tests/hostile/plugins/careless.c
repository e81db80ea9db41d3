/* A plugin that breaks the contract in what it answers and prints, and lives on. */
#include <stdio.h>
#include <string.h>

#include <mcp/plugin.h>

static const mcp_host* host_of_this;

static mcp_string text(const char* zero_terminated) {
  mcp_string string = {zero_terminated, strlen(zero_terminated)};
  return string;
}

static int contains(mcp_string params, const char* word) {
  const size_t length = strlen(word);
  uint64_t i;
  for (i = 0; i + length <= params.size; ++i)
    if (memcmp(params.data + i, word, length) == 0) return 1;
  return 0;
}

static void* create(const mcp_host* host, const mcp_sink* error) {
  (void)error;
  host_of_this = host;
  return &host_of_this;
}

static int32_t describe(void* self, const mcp_sink* sink, const mcp_sink* error) {
  (void)self;
  (void)error;
  sink->write(sink->context, text("{\"tools\":["
                                  "{\"name\":\"complete_twice\",\"inputSchema\":{\"type\":\"object\"}},"
                                  "{\"name\":\"answer_no_json\",\"inputSchema\":{\"type\":\"object\"}},"
                                  "{\"name\":\"answer_no_result\",\"inputSchema\":{\"type\":\"object\"}},"
                                  "{\"name\":\"print_much\",\"inputSchema\":{\"type\":\"object\"}},"
                                  "{\"name\":\"log_much\",\"inputSchema\":{\"type\":\"object\"}},"
                                  "{\"name\":\"update_much\",\"inputSchema\":{\"type\":\"object\"}},"
                                  "{\"name\":\"change_much\",\"inputSchema\":{\"type\":\"object\"}}]}"));
  return 0;
}

static void answer(mcp_call_id call, int32_t outcome, const char* json) {
  host_of_this->complete(host_of_this, call, outcome, text(json));
}

/* Says the same thing again and again, as far as the tool's name asks for it. */
static void flood(mcp_string params) {
  const int times = 20000;
  int i;
  for (i = 0; i < times && contains(params, "print_much"); ++i)
    printf("line %d\n", i);
  fflush(stdout);
  for (i = 0; i < times && contains(params, "log_much"); ++i)
    host_of_this->log(host_of_this, 0, MCP_LOG_INFO, text("what nobody wants to read in a log that others need"));
  for (i = 0; i < times && contains(params, "update_much"); ++i)
    host_of_this->resource_updated(host_of_this, text("careless://nothing"));
  for (i = 0; i < times && contains(params, "change_much"); ++i)
    host_of_this->components_changed(host_of_this);
}

static void invoke(void* self, mcp_call_id call, mcp_string method, mcp_string params) {
  (void)self;
  (void)method;
  if (contains(params, "answer_no_json")) {
    answer(call, MCP_OUTCOME_RESULT, "{\"content\":[}\n\r\"\xff");
    return;
  }
  if (contains(params, "answer_no_result")) {
    answer(call, MCP_OUTCOME_RESULT, "{\"content\":[{\"type\":\"text\"}]}");
    return;
  }
  flood(params);
  answer(call, MCP_OUTCOME_RESULT, "{\"content\":[{\"type\":\"text\",\"text\":\"once\"}]}");
  if (contains(params, "complete_twice")) answer(call, MCP_OUTCOME_ERROR, "{\"code\":-1,\"message\":\"twice\"}");
}

static void stop(void* self) {
  (void)self;
}

static const mcp_plugin plugin = {
    .size = sizeof plugin,
    .name = {"careless", sizeof "careless" - 1},
    .version = {"1.0.0", sizeof "1.0.0" - 1},
    .create = create,
    .describe = describe,
    .invoke = invoke,
    .stop = stop,
};

MCP_PLUGIN_EXPORT const mcp_plugin* mcp_plugin_entry_v1(void) {
  return &plugin;
}
