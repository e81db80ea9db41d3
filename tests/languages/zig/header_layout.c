/* Where the members of mcp/plugin.h and of optional interfaces are, and what constants are, by the names that the Zig
 * module gives them. */
#include <stddef.h>

#include <mcp/bundle.h>
#include <mcp/caller.h>
#include <mcp/capabilities.h>
#include <mcp/metrics.h>
#include <mcp/plugin.h>
#include <mcp/store.h>
#include <mcp/subscriptions.h>

struct entry {
  const char* name;
  size_t value;
};

#define OFFSET(struct_name, zig_name, member) \
  { zig_name "." #member, offsetof(struct_name, member) }
#define HOST(member) OFFSET(mcp_host, "Host", member)
#define PLUGIN(member) OFFSET(mcp_plugin, "Plugin", member)
#define LISTENER(member) OFFSET(mcp_subscription_listener, "SubscriptionListener", member)

const struct entry mcp_header_layout[] = {
    {"sizeof String", sizeof(mcp_string)},
    {"sizeof Sink", sizeof(mcp_sink)},
    {"sizeof Host", sizeof(mcp_host)},
    {"sizeof Plugin", sizeof(mcp_plugin)},
    {"sizeof CallId", sizeof(mcp_call_id)},
    OFFSET(mcp_string, "String", data),
    OFFSET(mcp_string, "String", size),
    OFFSET(mcp_sink, "Sink", context),
    OFFSET(mcp_sink, "Sink", write),
    HOST(size),
    HOST(reserved),
    HOST(context),
    HOST(complete),
    HOST(progress),
    HOST(log),
    HOST(is_cancelled),
    HOST(call_context),
    HOST(configuration),
    HOST(data_directory),
    HOST(components_changed),
    HOST(resource_updated),
    HOST(get_interface),
    PLUGIN(size),
    PLUGIN(flags),
    PLUGIN(name),
    PLUGIN(version),
    PLUGIN(id),
    PLUGIN(vendor),
    PLUGIN(description),
    PLUGIN(url),
    PLUGIN(create),
    PLUGIN(describe),
    PLUGIN(start),
    PLUGIN(invoke),
    PLUGIN(cancel),
    PLUGIN(stop),
    {"Outcome.result", MCP_OUTCOME_RESULT},
    {"Outcome.error", MCP_OUTCOME_ERROR},
    {"Outcome.input_required", MCP_OUTCOME_INPUT_REQUIRED},
    {"CancelReason.none", MCP_CANCEL_NONE},
    {"CancelReason.client", MCP_CANCEL_CLIENT},
    {"CancelReason.deadline", MCP_CANCEL_DEADLINE},
    {"CancelReason.shutdown", MCP_CANCEL_SHUTDOWN},
    {"CancelReason.reload", MCP_CANCEL_RELOAD},
    {"LogLevel.debug", MCP_LOG_DEBUG},
    {"LogLevel.info", MCP_LOG_INFO},
    {"LogLevel.notice", MCP_LOG_NOTICE},
    {"LogLevel.warning", MCP_LOG_WARNING},
    {"LogLevel.error", MCP_LOG_ERROR},
    {"LogLevel.critical", MCP_LOG_CRITICAL},
    {"LogLevel.alert", MCP_LOG_ALERT},
    {"LogLevel.emergency", MCP_LOG_EMERGENCY},
    {"flag serial", MCP_PLUGIN_SERIAL},
    {"flag never_unload", MCP_PLUGIN_NEVER_UNLOAD},
    {"sizeof Caller", sizeof(mcp_caller)},
    OFFSET(mcp_caller, "Caller", size),
    OFFSET(mcp_caller, "Caller", reserved),
    OFFSET(mcp_caller, "Caller", describe),
    {"sizeof Bundle", sizeof(mcp_bundle)},
    OFFSET(mcp_bundle, "Bundle", size),
    OFFSET(mcp_bundle, "Bundle", reserved),
    OFFSET(mcp_bundle, "Bundle", directory),
    {"sizeof SubscriptionListener", sizeof(mcp_subscription_listener)},
    LISTENER(size),
    LISTENER(reserved),
    LISTENER(context),
    LISTENER(subscribed),
    LISTENER(unsubscribed),
    {"sizeof Subscriptions", sizeof(mcp_subscriptions)},
    OFFSET(mcp_subscriptions, "Subscriptions", size),
    OFFSET(mcp_subscriptions, "Subscriptions", reserved),
    OFFSET(mcp_subscriptions, "Subscriptions", list),
    OFFSET(mcp_subscriptions, "Subscriptions", listen),
    {"sizeof Store", sizeof(mcp_store)},
    OFFSET(mcp_store, "Store", size),
    OFFSET(mcp_store, "Store", reserved),
    OFFSET(mcp_store, "Store", get),
    OFFSET(mcp_store, "Store", put),
    OFFSET(mcp_store, "Store", erase),
    OFFSET(mcp_store, "Store", list),
    {"any revision", MCP_STORE_ANY},
    {"StoreStatus.done", MCP_STORE_DONE},
    {"StoreStatus.absent", MCP_STORE_ABSENT},
    {"StoreStatus.changed", MCP_STORE_CHANGED},
    {"StoreStatus.invalid", MCP_STORE_INVALID},
    {"StoreStatus.full", MCP_STORE_FULL},
    {"StoreStatus.failed", MCP_STORE_FAILED},
    {"sizeof Label", sizeof(mcp_label)},
    OFFSET(mcp_label, "Label", name),
    OFFSET(mcp_label, "Label", value),
    {"sizeof Metrics", sizeof(mcp_metrics)},
    OFFSET(mcp_metrics, "Metrics", size),
    OFFSET(mcp_metrics, "Metrics", reserved),
    OFFSET(mcp_metrics, "Metrics", declare),
    OFFSET(mcp_metrics, "Metrics", add),
    OFFSET(mcp_metrics, "Metrics", set),
    OFFSET(mcp_metrics, "Metrics", observe),
    {"MetricKind.counter", MCP_METRIC_COUNTER},
    {"MetricKind.gauge", MCP_METRIC_GAUGE},
    {"MetricKind.histogram", MCP_METRIC_HISTOGRAM},
    {"sizeof Capabilities", sizeof(mcp_capabilities)},
    OFFSET(mcp_capabilities, "Capabilities", size),
    OFFSET(mcp_capabilities, "Capabilities", reserved),
    OFFSET(mcp_capabilities, "Capabilities", check),
    {NULL, 0},
};

const char* const mcp_header_entry_symbol = MCP_PLUGIN_ENTRY_SYMBOL;
const char* const mcp_header_interfaces[] = {MCP_CALLER, MCP_BUNDLE,  MCP_SUBSCRIPTIONS,
                                             MCP_STORE,  MCP_METRICS, MCP_CAPABILITIES};
