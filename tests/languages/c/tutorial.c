/* The tutorial plugin in C, with cJSON: what each function has to keep to is written in mcp/plugin.h.
 *
 * Where memory runs out cJSON's functions return null and take it, too: a part of an answer is missing then, and a null
 * in place of all of it is told to the caller. */
#include <cjson/cJSON.h>
#define _POSIX_C_SOURCE 200809L /* nanosleep, strdup */

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <mcp/plugin.h>

struct instance {
  const mcp_host* host;
  char* greeting; /* null: not configured */
};

/* One call, for as long as invoke serves it. */
struct call {
  const struct instance* plugin;
  const mcp_host* host;
  mcp_call_id id;
  const cJSON* params;
  const cJSON* arguments;
};

/* `json` is what mcp_host.complete takes with this outcome; whoever gets the answer frees it. */
struct answer {
  int32_t outcome;
  cJSON* json;
};

/* --- Text ------------------------------------------------------------------------------------------------------- */

static mcp_string text(const char* zero_terminated) {
  mcp_string string = {zero_terminated, strlen(zero_terminated)};
  return string;
}

static int equals(mcp_string string, const char* other) {
  return string.size == strlen(other) && memcmp(string.data, other, (size_t)string.size) == 0;
}

/* To be freed by the caller; null: out of memory. */
__attribute__((format(printf, 1, 2))) static char* format(const char* pattern, ...) {
  va_list values;
  va_start(values, pattern);
  const int size = vsnprintf(NULL, 0, pattern, values);
  va_end(values);
  char* result = malloc((size_t)size + 1);
  if (result == NULL) return NULL;
  va_start(values, pattern);
  vsnprintf(result, (size_t)size + 1, pattern, values);
  va_end(values);
  return result;
}

/* A sink that keeps what it is given. */
struct buffer {
  char* data;
  size_t size;
};

static void append(void* context, mcp_string piece) {
  if (piece.size == 0) return;  // for which there need be no data
  struct buffer* buffer = context;
  char* larger = realloc(buffer->data, buffer->size + (size_t)piece.size);
  if (larger == NULL) return;
  memcpy(larger + buffer->size, piece.data, (size_t)piece.size);
  buffer->data = larger;
  buffer->size += (size_t)piece.size;
}

static cJSON* take_json(struct buffer* buffer) {
  cJSON* json = cJSON_ParseWithLength(buffer->data, buffer->size);
  free(buffer->data);
  return json;
}

static const cJSON* member(const cJSON* object, const char* name) {
  return cJSON_GetObjectItemCaseSensitive(object, name);
}

static const char* string_member(const cJSON* object, const char* name) {
  return cJSON_GetStringValue(member(object, name));
}

static int64_t integer_member(const cJSON* object, const char* name) {
  return (int64_t)cJSON_GetNumberValue(member(object, name));
}

/* --- Answers ---------------------------------------------------------------------------------------------------- */

static struct answer result(cJSON* json) {
  struct answer answer = {MCP_OUTCOME_RESULT, json};
  return answer;
}

/* A result of a tool with one block of content, of which the other members are to be added. */
static cJSON* result_with_block(const char* type, cJSON** block) {
  cJSON* json = cJSON_CreateObject();
  *block = cJSON_CreateObject();
  cJSON_AddStringToObject(*block, "type", type);
  cJSON_AddItemToArray(cJSON_AddArrayToObject(json, "content"), *block);
  return json;
}

static struct answer text_result(const char* words) {
  cJSON* block = NULL;
  cJSON* json = result_with_block("text", &block);
  cJSON_AddStringToObject(block, "text", words);
  return result(json);
}

/* The same of what format has made, which it frees. */
static struct answer formatted_result(char* words) {
  struct answer answer = words == NULL ? result(NULL) : text_result(words);
  free(words);
  return answer;
}

/* What the model reads about a failure. */
static struct answer tool_error(const char* words) {
  struct answer answer = text_result(words);
  cJSON_AddTrueToObject(answer.json, "isError");
  return answer;
}

/* What the caller did wrong as a program. */
static struct answer error(int code, const char* message) {
  struct answer answer = {MCP_OUTCOME_ERROR, cJSON_CreateObject()};
  cJSON_AddNumberToObject(answer.json, "code", code);
  cJSON_AddStringToObject(answer.json, "message", message);
  return answer;
}

static struct answer structured_result(cJSON* structured, const char* words) {
  struct answer answer = text_result(words);
  cJSON_AddItemToObject(answer.json, "structuredContent", structured);
  return answer;
}

/* --- Tools ------------------------------------------------------------------------------------------------------ */

static struct answer add(const struct call* call) {
  char* sum = format("%" PRId64, integer_member(call->arguments, "a") + integer_member(call->arguments, "b"));
  if (sum == NULL) return result(NULL);
  cJSON* structured = cJSON_CreateObject();
  cJSON_AddRawToObject(structured, "result", sum); /* cJSON would write a large number as 9.0e+15 */
  struct answer answer = structured_result(structured, sum);
  free(sum);
  return answer;
}

static struct answer greet(const struct call* call) {
  const char* name = string_member(call->arguments, "name");
  if (strcmp(string_member(call->arguments, "style"), "formal") == 0)
    return formatted_result(format("Good day, %s.", name));
  return formatted_result(format("%s, %s!", call->plugin->greeting == NULL ? "Hi" : call->plugin->greeting, name));
}

static struct answer resize(const struct call* call) {
  return formatted_result(format("%" PRId64 "x%" PRId64, integer_member(call->arguments, "width"),
                                 integer_member(call->arguments, "height")));
}

static struct answer register_person(const struct call* call) {
  cJSON* person = cJSON_Duplicate(member(call->arguments, "person"), 1);
  cJSON_AddBoolToObject(person, "adult", integer_member(person, "age") >= 18);
  char* words = cJSON_PrintUnformatted(person);
  struct answer answer = structured_result(person, words == NULL ? "" : words);
  cJSON_free(words);
  return answer;
}

static struct answer picture(const struct call* call) {
  (void)call;
  cJSON* block = NULL;
  cJSON* json = result_with_block("image", &block);
  cJSON_AddStringToObject(block, "mimeType", "image/png");
  cJSON_AddStringToObject(block, "data", "iVBORw0KGgo=");
  return result(json);
}

static int is_cancelled(const struct call* call) {
  return call->host->is_cancelled(call->host, call->id) != MCP_CANCEL_NONE;
}

/* Ends early when the call is cancelled. */
static void pause_for(const struct call* call, int64_t milliseconds) {
  for (; milliseconds > 0 && !is_cancelled(call); milliseconds -= 10) {
    const struct timespec piece = {0, 1000000 * (milliseconds < 10 ? milliseconds : 10)};
    nanosleep(&piece, NULL);
  }
}

static struct answer count(const struct call* call) {
  const int64_t to = integer_member(call->arguments, "to");
  const int64_t milliseconds = integer_member(call->arguments, "milliseconds");
  char words[64];
  snprintf(words, sizeof words, "counting to %" PRId64, to);
  call->host->log(call->host, call->id, MCP_LOG_INFO, text(words));
  for (int64_t i = 1; i <= to; ++i) {
    snprintf(words, sizeof words, "%" PRId64 " of %" PRId64, i, to);
    call->host->progress(call->host, call->id, (double)i, (double)to, text(words));
    if (is_cancelled(call)) return tool_error("cancelled");
    pause_for(call, milliseconds);
  }
  return formatted_result(format("counted to %" PRId64, to));
}

static struct answer slow_tool(const struct call* call) {
  pause_for(call, 5000);
  return is_cancelled(call) ? tool_error("cancelled") : text_result("done");
}

static struct answer fail(const struct call* call) {
  return tool_error(string_member(call->arguments, "message"));
}

/* Asks for the name: the call ends here, and comes again with the answer. */
static struct answer ask_for_name(void) {
  struct answer answer = {
      MCP_OUTCOME_INPUT_REQUIRED,
      cJSON_Parse("{\"inputRequests\": {\"name\": {\"method\": \"elicitation/create\", \"params\": {\"mode\": \"form\","
                  "  \"message\": \"What is your name?\","
                  "  \"requestedSchema\": {\"type\": \"object\", \"required\": [\"name\"],"
                  "    \"properties\": {\"name\": {\"type\": \"string\"}}}}}}}")};
  return answer;
}

static struct answer ask_name(const struct call* call) {
  const cJSON* given = member(member(call->params, "inputResponses"), "name");
  if (given == NULL) return ask_for_name();
  const char* action = string_member(given, "action");
  if (strcmp(action, "decline") == 0) return text_result("You declined.");
  if (strcmp(action, "cancel") == 0) return text_result("You cancelled.");
  return formatted_result(format("Hello, %s!", string_member(member(given, "content"), "name")));
}

/* A sanitizer would see it before it is done. */
__attribute__((no_sanitize("undefined"))) static struct answer break_down(const struct call* call) {
  if (strcmp(string_member(call->arguments, "how"), "panic") == 0) return error(-32603, "broken");
  volatile int* volatile nowhere = NULL;
  *nowhere = 1;
  return text_result("not broken");
}

static struct answer caller(const struct call* call) {
  struct buffer buffer = {NULL, 0};
  const mcp_sink sink = {&buffer, append};
  call->host->call_context(call->host, call->id, &sink);
  cJSON* context = take_json(&buffer);
  const char* revision = string_member(context, "protocolVersion");
  const char* name = string_member(member(context, "client"), "name");
  struct answer answer =
      formatted_result(format("%s %s", revision == NULL ? "?" : revision, name == NULL ? "nobody" : name));
  cJSON_Delete(context);
  return answer;
}

static const struct tool {
  const char* name;
  struct answer (*call)(const struct call* call);
} tools[] = {
    {"add", add},          {"greet", greet},   {"resize", resize},       {"register_person", register_person},
    {"picture", picture},  {"count", count},   {"fail", fail},           {"ask_name", ask_name},
    {"break", break_down}, {"caller", caller}, {"slow_tool", slow_tool},
};

static struct answer call_tool(const struct call* call) {
  const char* name = string_member(call->params, "name");
  for (size_t i = 0; i < sizeof tools / sizeof tools[0]; ++i) {
    if (strcmp(tools[i].name, name) == 0) return tools[i].call(call);
  }
  return error(-32602, "Unknown tool");
}

/* --- Resources and prompts -------------------------------------------------------------------------------------- */

static struct answer resource(const char* uri, const char* words) {
  cJSON* json = cJSON_CreateObject();
  cJSON* content = cJSON_CreateObject();
  cJSON_AddStringToObject(content, "uri", uri);
  cJSON_AddStringToObject(content, "mimeType", "text/plain");
  cJSON_AddStringToObject(content, "text", words);
  cJSON_AddItemToArray(cJSON_AddArrayToObject(json, "contents"), content);
  return result(json);
}

static struct answer square(const char* uri, const char* variable) {
  const int64_t largest = 3037000499; /* whose square is an int64_t */
  char* end = NULL;
  errno = 0;
  const long long n = strtoll(variable, &end, 10);
  if (end == variable || *end != '\0' || errno != 0 || n < -largest || n > largest) {
    char* message = format("n must be an integer whose square has 64 bits, not %s", variable);
    struct answer answer = error(-32602, message == NULL ? "n must be an integer" : message);
    free(message);
    return answer;
  }
  char words[32];
  snprintf(words, sizeof words, "%lld", n * n);
  return resource(uri, words);
}

static struct answer read_resource(const struct call* call) {
  const char* uri = string_member(call->params, "uri");
  const char* n = string_member(member(call->params, "variables"), "n");
  return n == NULL ? resource(uri, "1.0.0") : square(uri, n);
}

/* To be freed by the caller; null: out of memory. */
static char* words_of_prompt(const struct call* call) {
  if (strcmp(string_member(call->params, "name"), "greeting") == 0)
    return format("Greet me in %s.", string_member(call->arguments, "language"));
  return format("Please review:\n%s", string_member(call->arguments, "code"));
}

static struct answer get_prompt(const struct call* call) {
  char* words = words_of_prompt(call);
  cJSON* json = cJSON_CreateObject();
  cJSON* message = cJSON_CreateObject();
  cJSON_AddStringToObject(message, "role", "user");
  cJSON* content = cJSON_AddObjectToObject(message, "content");
  cJSON_AddStringToObject(content, "type", "text");
  cJSON_AddStringToObject(content, "text", words == NULL ? "" : words);
  cJSON_AddItemToArray(cJSON_AddArrayToObject(json, "messages"), message);
  free(words);
  return result(json);
}

/* What begins with what has been typed of the language: there is nothing else to complete. */
static struct answer complete(const struct call* call) {
  static const char* const languages[] = {"english", "finnish", "french", "german"};
  const char* typed = string_member(member(call->params, "argument"), "value");
  cJSON* json = cJSON_CreateObject();
  cJSON* values = cJSON_AddArrayToObject(cJSON_AddObjectToObject(json, "completion"), "values");
  for (size_t i = 0; i < sizeof languages / sizeof languages[0]; ++i) {
    if (strncmp(languages[i], typed, strlen(typed)) == 0)
      cJSON_AddItemToArray(values, cJSON_CreateString(languages[i]));
  }
  return result(json);
}

/* --- The plugin ------------------------------------------------------------------------------------------------- */

static const char* const description[] = {
    "{\"tools\": ["
    "{\"name\": \"add\", \"description\": \"Adds two numbers.\", \"annotations\": {\"readOnlyHint\": true},"
    "  \"inputSchema\": {\"type\": \"object\", \"required\": [\"a\", \"b\"],"
    "    \"properties\": {\"a\": {\"type\": \"integer\"}, \"b\": {\"type\": \"integer\"}}},"
    "  \"outputSchema\": {\"type\": \"object\", \"required\": [\"result\"],"
    "    \"properties\": {\"result\": {\"type\": \"integer\"}}}},",
    "{\"name\": \"greet\", \"description\": \"Greets somebody.\","
    "  \"inputSchema\": {\"type\": \"object\", \"required\": [\"name\"],"
    "    \"properties\": {\"name\": {\"type\": \"string\", \"minLength\": 1, \"description\": \"Whom to greet\"},"
    "      \"style\": {\"type\": \"string\", \"enum\": [\"casual\", \"formal\"], \"default\": \"casual\"}}}},",
    "{\"name\": \"resize\", \"description\": \"Says the size of a picture.\","
    "  \"inputSchema\": {\"type\": \"object\", \"required\": [\"width\"],"
    "    \"properties\": {\"width\": {\"type\": \"integer\", \"minimum\": 1, \"maximum\": 2000},"
    "      \"height\": {\"type\": \"integer\", \"minimum\": 1, \"maximum\": 2000, \"default\": 600}}}},",
    "{\"name\": \"register_person\", \"description\": \"Registers a person.\","
    "  \"inputSchema\": {\"type\": \"object\", \"required\": [\"person\"],"
    "    \"properties\": {\"person\": {\"type\": \"object\", \"required\": [\"name\", \"age\"],"
    "      \"properties\": {\"name\": {\"type\": \"string\"}, \"age\": {\"type\": \"integer\", \"minimum\": 0},"
    "        \"email\": {\"type\": \"string\"}}}}},"
    "  \"outputSchema\": {\"type\": \"object\", \"required\": [\"name\", \"age\", \"adult\"],"
    "    \"properties\": {\"name\": {\"type\": \"string\"}, \"age\": {\"type\": \"integer\", \"minimum\": 0},"
    "      \"email\": {\"type\": \"string\"}, \"adult\": {\"type\": \"boolean\"}}}},",
    "{\"name\": \"picture\", \"description\": \"Shows a picture.\", \"inputSchema\": {\"type\": \"object\"}},"
    "{\"name\": \"count\", \"description\": \"Counts, and says how far it is.\","
    "  \"inputSchema\": {\"type\": \"object\", \"required\": [\"to\"],"
    "    \"properties\": {\"to\": {\"type\": \"integer\", \"minimum\": 1, \"maximum\": 100000},"
    "      \"milliseconds\": {\"type\": \"integer\", \"minimum\": 0, \"maximum\": 1000, \"default\": 0,"
    "        \"description\": \"The pause after each step\"}}}},",
    "{\"name\": \"fail\", \"description\": \"Fails.\","
    "  \"inputSchema\": {\"type\": \"object\", \"required\": [\"message\"],"
    "    \"properties\": {\"message\": {\"type\": \"string\"}}}},"
    "{\"name\": \"ask_name\", \"description\": \"Asks for the user's name.\", \"inputSchema\": {\"type\": \"object\"}},"
    "{\"name\": \"break\", \"description\": \"Breaks down.\","
    "  \"inputSchema\": {\"type\": \"object\", \"required\": [\"how\"],"
    "    \"properties\": {\"how\": {\"type\": \"string\", \"enum\": [\"panic\", \"crash\"]}}}},"
    "{\"name\": \"caller\", \"description\": \"Says who calls.\", \"inputSchema\": {\"type\": \"object\"}},"
    "{\"name\": \"slow_tool\", \"description\": \"Takes longer than it may.\", \"inputSchema\": {\"type\": \"object\"},"
    "  \"execution\": {\"timeoutMs\": 300}, \"_meta\": {\"mcp-plugin-host/tags\": [\"slow\"]}}],",
    "\"resources\": [{\"uri\": \"tutorial://version\", \"name\": \"version\", \"mimeType\": \"text/plain\","
    "  \"description\": \"The version of this plugin.\"}],"
    "\"resourceTemplates\": [{\"uriTemplate\": \"tutorial://squares/{n}\", \"name\": \"squares\","
    "  \"mimeType\": \"text/plain\", \"description\": \"The square of an integer.\"}],"
    "\"prompts\": [{\"name\": \"review\", \"description\": \"Asks for a review of code.\","
    "  \"arguments\": [{\"name\": \"code\", \"description\": \"The code\", \"required\": true}]},"
    "{\"name\": \"greeting\", \"description\": \"Asks for a greeting.\","
    "  \"arguments\": [{\"name\": \"language\", \"required\": true}]}],"
    "\"completions\": true}",
};

static void* create(const mcp_host* host, const mcp_sink* error_sink) {
  struct instance* self = calloc(1, sizeof *self);
  if (self == NULL) {
    error_sink->write(error_sink->context, text("out of memory"));
    return NULL;
  }
  self->host = host;
  struct buffer buffer = {NULL, 0};
  const mcp_sink sink = {&buffer, append};
  host->configuration(host, &sink);
  cJSON* configuration = take_json(&buffer);
  const char* greeting = string_member(configuration, "greeting");
  if (greeting != NULL) self->greeting = strdup(greeting);
  cJSON_Delete(configuration);
  return self;
}

static int32_t describe(void* self, const mcp_sink* sink, const mcp_sink* error_sink) {
  (void)self;
  (void)error_sink;
  for (size_t i = 0; i < sizeof description / sizeof description[0]; ++i)
    sink->write(sink->context, text(description[i]));
  return 0;
}

static struct answer answer_to(mcp_string method, const struct call* call) {
  if (call->params == NULL) return result(NULL);
  if (equals(method, "tools/call")) return call_tool(call);
  if (equals(method, "resources/read")) return read_resource(call);
  if (equals(method, "prompts/get")) return get_prompt(call);
  if (equals(method, "completion/complete")) return complete(call);
  return error(-32601, "Unknown method");
}

/* On any of several threads at once; a call is completed exactly once. */
static void invoke(void* instance, mcp_call_id id, mcp_string method, mcp_string params) {
  const struct instance* self = instance;
  cJSON* json = cJSON_ParseWithLength(params.data, (size_t)params.size);
  const struct call call = {self, self->host, id, json, member(json, "arguments")};
  const struct answer answer = answer_to(method, &call);
  char* printed = cJSON_PrintUnformatted(answer.json);
  if (printed == NULL) {
    self->host->complete(self->host, id, MCP_OUTCOME_ERROR, text("{\"code\":-32603,\"message\":\"Out of memory\"}"));
  } else {
    self->host->complete(self->host, id, answer.outcome, text(printed));
  }
  cJSON_free(printed);
  cJSON_Delete(answer.json);
  cJSON_Delete(json);
}

static void stop(void* instance) {
  struct instance* self = instance;
  free(self->greeting);
  free(self);
}

static const mcp_plugin plugin = {
    .size = sizeof plugin,
    .name = {"tutorial", sizeof "tutorial" - 1},
    .version = {"1.0.0", sizeof "1.0.0" - 1},
    .description = {"The same plugin in every language", sizeof "The same plugin in every language" - 1},
    .create = create,
    .describe = describe,
    .invoke = invoke,
    .stop = stop,
};

MCP_PLUGIN_EXPORT const mcp_plugin* mcp_plugin_entry_v1(void) {
  return &plugin;
}
