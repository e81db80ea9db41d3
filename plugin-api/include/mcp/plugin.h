/* SPDX-License-Identifier: Apache-2.0
 *
 * mcp/plugin.h: the contract between a plugin and mcp-plugin-host, in C.
 *
 * A plugin is a shared library that exports one function, mcp_plugin_entry_v1. The host calls it once, gets a table of
 * functions, creates one instance, asks it to describe its components, starts it, gives it calls, and stops it:
 *
 *     mcp_plugin_entry_v1 -> create -> describe -> start -> invoke ... -> stop
 *
 * What crosses this boundary is UTF-8 JSON text in MCP's own shapes, numbers of fixed width, and pointers to functions.
 * No C++ type crosses it, and no enum type: a plugin may be built by another compiler, or in another language.
 *
 * Threads. The comment of every function says where it may be called:
 *   [control]  by the host, one at a time for a plugin, never beside another [control] function of the same plugin
 *   [worker]   by the host, from several threads at once, unless MCP_PLUGIN_SERIAL is set; may block
 *   [any]      from any thread, at any time between create and the end of stop
 *
 * Memory. What a function is given stays valid until that function returns, and no longer. What a function hands over
 * is copied by the receiver before the receiving function returns. Nothing that one side allocated is freed by the
 * other.
 *
 * Exceptions never cross: every function of this header must return normally.
 *
 * Growth. mcp_host and mcp_plugin begin with their size as the side that filled them knew it. New members are only ever
 * appended, so a reader checks that size covers a member before using it (MCP_HAS). mcp_string and mcp_sink are frozen.
 * ABI.md holds the whole promise, and says when the version below changes.
 */
#ifndef MCP_PLUGIN_H
#define MCP_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

/* The version of this header, for the preprocessor. What is new in a minor version is optional, and is told at run time
 * by MCP_HAS and get_interface; a plugin need not say which one it was built with. */
#define MCP_PLUGIN_API_VERSION_MAJOR 1 /* that of MCP_PLUGIN_ENTRY_SYMBOL */
#define MCP_PLUGIN_API_VERSION_MINOR 0

#if defined(_WIN32)
#define MCP_PLUGIN_EXPORT __declspec(dllexport)
#elif defined(__GNUC__)
#define MCP_PLUGIN_EXPORT __attribute__((visibility("default")))
#else
#define MCP_PLUGIN_EXPORT
#endif

/* True if the struct that `pointer` points to was filled by a side that knew `member`, and the member is set. */
#define MCP_HAS(pointer, type, member) \
  ((pointer)->size >= offsetof(type, member) + sizeof((pointer)->member) && (pointer)->member != NULL)

/* The name of the one symbol that a plugin exports. The major version of the contract is part of it. */
#define MCP_PLUGIN_ENTRY_SYMBOL "mcp_plugin_entry_v1"

#ifdef __cplusplus
extern "C" {
#endif

/* UTF-8 text of `size` bytes, not necessarily followed by a zero. `data` may be null if `size` is 0. */
typedef struct mcp_string {
  const char* data;
  uint64_t size;
} mcp_string;

/* Where a function puts text that it returns. `write` copies; call it any number of times, the pieces are joined. */
typedef struct mcp_sink {
  void* context; /* the sink's own; pass it to write unchanged */
  void (*write)(void* context, mcp_string text);
} mcp_sink;

/* One call in flight. A number, not a pointer: an id that is unknown or already completed is reported, never followed.
 * 0 is never the id of a call. */
typedef uint64_t mcp_call_id;

/* Constants are plain literals, which tools that make bindings for other languages can read. Those of int32_t are of
 * the type int, which has 32 bits wherever the contract is served. */

/* Outcomes of a call, for mcp_host.complete. Plugins may be given new ones to use; the set never shrinks. */
#define MCP_OUTCOME_RESULT 0 /* json is the method's result object, as the newest revision defines it */
#define MCP_OUTCOME_ERROR 1  /* json is a JSON-RPC error object: {"code", "message", "data"?} */
/* json is {"inputRequests": {name: {"method", "params"}}, "inputState"?}: ask the client, then invoke again with
 * "inputResponses" in params, and with "inputState", a string, as it was. */
#define MCP_OUTCOME_INPUT_REQUIRED 2

/* Why a call should end early. */
#define MCP_CANCEL_NONE 0     /* it should not */
#define MCP_CANCEL_CLIENT 1   /* the client cancelled it or went away */
#define MCP_CANCEL_DEADLINE 2 /* its time is up */
#define MCP_CANCEL_SHUTDOWN 3 /* the host is stopping */
#define MCP_CANCEL_RELOAD 4   /* this version of the plugin has been replaced and did not finish in time */

/* Severities, those of RFC 5424 section 6.2.1 in MCP's order: a larger number is more severe. */
#define MCP_LOG_DEBUG 0
#define MCP_LOG_INFO 1
#define MCP_LOG_NOTICE 2
#define MCP_LOG_WARNING 3
#define MCP_LOG_ERROR 4
#define MCP_LOG_CRITICAL 5
#define MCP_LOG_ALERT 6
#define MCP_LOG_EMERGENCY 7

/* What the host does for one plugin instance. Given to create; valid until stop has returned. */
typedef struct mcp_host mcp_host;
struct mcp_host {
  uint32_t size; /* sizeof(mcp_host) as the host knew it */
  uint32_t reserved;
  void* context; /* the host's own */

  /* [any] Ends a call, exactly once, during invoke or later. A second completion is logged and ignored. */
  void (*complete)(const mcp_host* host, mcp_call_id call, int32_t outcome, mcp_string json);

  /* [any] Tells how far a call is. `progress` must grow from call to call; `total` is 0 or less if unknown; `message`
   * may be empty. Does nothing, cheaply, if the client did not ask for progress. A client may be told less often. */
  void (*progress)(const mcp_host* host, mcp_call_id call, double progress, double total, mcp_string message);

  /* [any] Writes to the host's log, under the plugin's name. `call` is the call it belongs to, whose client hears of it
   * too if it wants to, or 0. `level` is one of MCP_LOG_*. */
  void (*log)(const mcp_host* host, mcp_call_id call, int32_t level, mcp_string message);

  /* [any] One of MCP_CANCEL_*. An unknown or completed call counts as cancelled by the client. */
  int32_t (*is_cancelled)(const mcp_host* host, mcp_call_id call);

  /* [any] What is known of the call, as a JSON object: {"protocolVersion", "client": {"name", "version", ...}?,
   * "clientCapabilities": {...}, "deadline"?, "trace"?, "meta": the request's own _meta?}. "deadline" is the Unix time
   * in milliseconds at which the call will be cancelled with MCP_CANCEL_DEADLINE; without it the call may take any
   * time. "trace" is {"traceparent", "tracestate"?, "baggage"?}, what the client sent of W3C Trace Context and Baggage;
   * what is malformed is left out. Rendered only when asked for. Writes nothing for an unknown call. */
  void (*call_context)(const mcp_host* host, mcp_call_id call, const mcp_sink* sink);

  /* [any] The plugin's configuration, a JSON object: the content of NAME.json beside NAME.so, or {}. It never changes
   * during the life of an instance; a changed file starts a new instance. */
  void (*configuration)(const mcp_host* host, const mcp_sink* sink);

  /* [any] Absolute path of a directory that is this plugin's own and outlives its versions. Made on first use. Writes
   * nothing if it cannot be made. */
  void (*data_directory)(const mcp_host* host, const mcp_sink* sink);

  /* [any] What describe would say has changed: the host will call describe again soon. */
  void (*components_changed)(const mcp_host* host);

  /* [any] The content of a resource has changed: tells the clients that subscribed to this URI, once for a burst. */
  void (*resource_updated)(const mcp_host* host, mcp_string uri);

  /* [any] An optional interface of the host by name and major version, such as "mcp.something/1", or null. */
  const void* (*get_interface)(const mcp_host* host, const char* name);
};

/* Flags of mcp_plugin. */
#define MCP_PLUGIN_SERIAL 1U       /* invoke is never called while another invoke of this instance runs */
#define MCP_PLUGIN_NEVER_UNLOAD 2U /* leave the library mapped after stop */

/* What a plugin is. One constant table a library; `self` is the instance that create returned. */
typedef struct mcp_plugin {
  uint32_t size;      /* sizeof(mcp_plugin) as the plugin knew it */
  uint32_t flags;     /* MCP_PLUGIN_* */
  mcp_string name;    /* 1 to 128 characters of A-Z a-z 0-9 _ . - */
  mcp_string version; /* the plugin's own, for people: "1.4.2"; 1 to 128 bytes */

  /* What the plugin says of itself, for people and their lists. Each may be empty. */
  mcp_string id;     /* the same for all versions and no other plugin's: "org.example.notes"; characters as of name */
  mcp_string vendor; /* who makes it; up to 128 bytes */
  mcp_string description; /* what it is for; up to 1024 bytes */
  mcp_string url;         /* where to read about it: http:// or https://; up to 1024 bytes */

  /* [control] Makes the instance. Opens no thread, socket or file: `inspect` calls create, describe and stop only.
   * On failure writes the reason to `error` and returns null. */
  void* (*create)(const mcp_host* host, const mcp_sink* error);

  /* [control] Writes one JSON object with the instance's components in MCP's own shapes: "tools", "resources",
   * "resourceTemplates" and "prompts", each an array and each optional, and optionally "instructions", a string for the
   * model, and "completions": true, which asks for calls of "completion/complete". Called again after
   * components_changed. Returns 0, or writes the reason to `error` and returns another number: then nothing in `sink`
   * counts, and what was described before is served on. */
  int32_t (*describe)(void* self, const mcp_sink* sink, const mcp_sink* error);

  /* [control] The instance is going to be served: open what it needs. Returns 0, or writes the reason to `error` and
   * returns another number. May be null. */
  int32_t (*start)(void* self, const mcp_sink* error);

  /* [worker] Serves one call. `method` is "tools/call", "resources/read" or "prompts/get", or "completion/complete" if
   * describe asked for it. `params` is the JSON object of the request's params without _meta; the arguments of a tool
   * have been checked against its inputSchema and its defaults filled in. A read that a resource template matched has
   * "uriTemplate" and "variables" (an object of decoded strings) besides "uri". Answers by mcp_host.complete. */
  void (*invoke)(void* self, mcp_call_id call, mcp_string method, mcp_string params);

  /* [worker] A call that should end early; it must still be completed. `reason` is one of MCP_CANCEL_*. Beside other
   * calls: perhaps before invoke has begun with it, and perhaps after it has been completed. Never beside or after
   * stop. May be null: then is_cancelled tells. */
  void (*cancel)(void* self, mcp_call_id call, int32_t reason);

  /* [control] The end: no invoke runs or follows. Joins every thread, frees everything, `self` included; after it
   * returns nothing of the library may run. Called also when start failed or was never called. */
  void (*stop)(void* self);
} mcp_plugin;

/* [control] The entry symbol. Has no side effect; the table lives as long as the library is mapped. */
typedef const mcp_plugin* (*mcp_plugin_entry_v1_fn)(void);
MCP_PLUGIN_EXPORT const mcp_plugin* mcp_plugin_entry_v1(void);

#ifdef __cplusplus
}
#endif

#endif /* MCP_PLUGIN_H */
