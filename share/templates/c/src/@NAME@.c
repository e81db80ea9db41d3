/* What each function has to keep to is written in mcp/plugin.h and in ABI.md beside it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>
#include <mcp/plugin.h>

struct instance {
  const mcp_host* host;
};

static mcp_string text(const char* zero_terminated) {
  mcp_string string = {zero_terminated, strlen(zero_terminated)};
  return string;
}

static int equals(mcp_string string, const char* other) {
  return string.size == strlen(other) && memcmp(string.data, other, (size_t)string.size) == 0;
}

static void* create(const mcp_host* host, const mcp_sink* error) {
  struct instance* self = malloc(sizeof *self);
  if (self == NULL) {
    error->write(error->context, text("out of memory"));
    return NULL;
  }
  self->host = host;
  return self;
}

/* What it exports. The host checks arguments against the input schema before it calls. */
static int32_t describe(void* self, const mcp_sink* sink, const mcp_sink* error) {
  (void)self;
  (void)error;
  sink->write(sink->context, text("{\"tools\": [{\"name\": \"hello\", \"description\": \"Greets somebody.\","
                                  "  \"annotations\": {\"readOnlyHint\": true},"
                                  "  \"inputSchema\": {\"type\": \"object\", \"required\": [\"name\"],"
                                  "    \"properties\": {\"name\": {\"type\": \"string\", \"minLength\": 1,"
                                  "      \"description\": \"Whom to greet\"}}}}]}"));
  return 0;
}

/* The result of a tool: {"content": [{"type": "text", "text": ...}]}, to be freed by the caller; null: out of memory. */
static char* text_result(const char* words) {
  char* json = NULL;
  cJSON* result = cJSON_CreateObject();
  cJSON* block = cJSON_CreateObject();
  if (cJSON_AddStringToObject(block, "type", "text") != NULL && cJSON_AddStringToObject(block, "text", words) != NULL &&
      cJSON_AddItemToArray(cJSON_AddArrayToObject(result, "content"), block)) {
    block = NULL; /* it is the result's */
    json = cJSON_PrintUnformatted(result);
  }
  cJSON_Delete(block);
  cJSON_Delete(result);
  return json;
}

/* Null: out of memory. */
static char* hello(const char* name) {
  const size_t size = strlen(name) + sizeof "Hello, !";
  char* words = malloc(size);
  if (words == NULL) return NULL;
  snprintf(words, size, "Hello, %s!", name);
  char* result = text_result(words);
  free(words);
  return result;
}

/* Null: there is no such member, or it is no text. A host has checked that, and whoever embeds the plugin without one
 * has not. */
static const char* text_of(const cJSON* object, const char* member) {
  return cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, member));
}

/* A JSON-RPC error: its code with its message. */
static void fail(const mcp_host* host, mcp_call_id call, const char* error) {
  host->complete(host, call, MCP_OUTCOME_ERROR, text(error));
}

static void call_tool(const mcp_host* host, mcp_call_id call, const cJSON* params) {
  const char* tool = text_of(params, "name");
  const char* name = text_of(cJSON_GetObjectItemCaseSensitive(params, "arguments"), "name");
  if (tool == NULL || strcmp(tool, "hello") != 0) {
    fail(host, call, "{\"code\": -32602, \"message\": \"Unknown tool\"}");
    return;
  }
  if (name == NULL) {
    fail(host, call, "{\"code\": -32602, \"message\": \"hello takes the text name\"}");
    return;
  }
  char* result = hello(name);
  if (result == NULL) {
    fail(host, call, "{\"code\": -32603, \"message\": \"Out of memory\"}");
    return;
  }
  host->complete(host, call, MCP_OUTCOME_RESULT, text(result));
  cJSON_free(result);
}

/* On any of several threads at once; a call is completed exactly once. */
static void invoke(void* instance, mcp_call_id call, mcp_string method, mcp_string params) {
  const mcp_host* host = ((struct instance*)instance)->host;
  if (!equals(method, "tools/call")) {
    fail(host, call, "{\"code\": -32601, \"message\": \"Unknown method\"}");
    return;
  }
  cJSON* json = cJSON_ParseWithLength(params.data, (size_t)params.size);
  call_tool(host, call, json);
  cJSON_Delete(json);
}

static void stop(void* self) {
  free(self);
}

static const mcp_plugin plugin = {
    .size = sizeof plugin,
    .name = {"@NAME@", sizeof "@NAME@" - 1},
    .version = {"0.1.0", sizeof "0.1.0" - 1},
    .create = create,
    .describe = describe,
    .invoke = invoke,
    .stop = stop,
};

MCP_PLUGIN_EXPORT const mcp_plugin* mcp_plugin_entry_v1(void) {
  return &plugin;
}
