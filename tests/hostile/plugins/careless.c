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

static void describe(void* self, const mcp_sink* sink) {
  (void)self;
  sink->write(sink->context, text("{\"tools\":["
                                  "{\"name\":\"complete_twice\",\"inputSchema\":{\"type\":\"object\"}},"
                                  "{\"name\":\"answer_no_json\",\"inputSchema\":{\"type\":\"object\"}},"
                                  "{\"name\":\"answer_no_result\",\"inputSchema\":{\"type\":\"object\"}},"
                                  "{\"name\":\"print_much\",\"inputSchema\":{\"type\":\"object\"}}]}"));
}

static void print_much(void) {
  int i;
  for (i = 0; i < 4000; ++i)
    printf("line %d of what nobody wants to read in a log that others need\n", i);
  fflush(stdout);
}

static void invoke(void* self, mcp_call_id call, mcp_string method, mcp_string params) {
  const mcp_string good = text("{\"content\":[{\"type\":\"text\",\"text\":\"once\"}]}");
  (void)self;
  (void)method;
  if (contains(params, "complete_twice")) {
    host_of_this->complete(host_of_this, call, MCP_OUTCOME_RESULT, good);
    host_of_this->complete(host_of_this, call, MCP_OUTCOME_ERROR, text("{\"code\":-1,\"message\":\"twice\"}"));
    return;
  }
  if (contains(params, "answer_no_json")) {
    host_of_this->complete(host_of_this, call, MCP_OUTCOME_RESULT, text("{\"content\":[}\n\r\"\xff"));
    return;
  }
  if (contains(params, "answer_no_result")) {
    host_of_this->complete(host_of_this, call, MCP_OUTCOME_RESULT, text("{\"content\":[{\"type\":\"text\"}]}"));
    return;
  }
  print_much();
  host_of_this->complete(host_of_this, call, MCP_OUTCOME_RESULT, good);
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
