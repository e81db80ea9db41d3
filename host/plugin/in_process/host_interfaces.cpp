// The optional interfaces that the host offers: a table each (mcp/*.h). Every function is called from C: nothing may be
// thrown through it.
#include <algorithm>
#include <string>

#include "base/json.hpp"
#include "base/json_text.hpp"
#include "plugin/added_capabilities.hpp"
#include "plugin/in_process/called_by_plugin.hpp"

namespace mcph {

const void* InProcessPlugin::interface_named(std::string_view name) const {
  if (name == MCP_CALLER) return &caller_table;
  if (name == MCP_BUNDLE) return setup_.bundle.empty() ? nullptr : &bundle_table;
  if (name == MCP_SUBSCRIPTIONS) return &subscriptions_table;
  if (name == MCP_STORE) return setup_.store == nullptr ? nullptr : &store_table;
  if (name == MCP_METRICS) return &metrics_table;
  if (name == MCP_CAPABILITIES) return &capabilities_table;
  if (name == MCP_SERVER_INFO) return setup_.server_info == nullptr ? nullptr : &server_info_table;
  return nullptr;
}

const mcp_server_info InProcessPlugin::server_info_table = {
    sizeof(mcp_server_info), 0, [](const mcp_host* host, const mcp_sink* sink) {
      self_of(host).serve("server_info", [&](const InProcessPlugin& plugin) {
        give(plugin.identity_, sink, plugin.setup_.server_info());
      });
    }};

const mcp_bundle InProcessPlugin::bundle_table = {sizeof(mcp_bundle), 0,
                                                  [](const mcp_host* host, const mcp_sink* sink) {
                                                    self_of(host).serve("bundle", [&](const InProcessPlugin& plugin) {
                                                      give(plugin.identity_, sink, plugin.setup_.bundle.string());
                                                    });
                                                  }};

const mcp_caller InProcessPlugin::caller_table = {sizeof(mcp_caller), 0,
                                                  [](const mcp_host* host, mcp_call_id id, const mcp_sink* sink) {
                                                    self_of(host).serve("caller", [&](const InProcessPlugin& plugin) {
                                                      if (const auto call = plugin.calls_.find(id))
                                                        give(plugin.identity_, sink, call->caller());
                                                    });
                                                  }};

const mcp_subscriptions InProcessPlugin::subscriptions_table = {
    sizeof(mcp_subscriptions), 0,
    [](const mcp_host* host, const mcp_sink* sink) {
      self_of(host).serve("subscriptions.list", [&](const InProcessPlugin& plugin) {
        if (plugin.setup_.follow_subscriptions) plugin.setup_.follow_subscriptions();
        give(plugin.identity_, sink, dump(Json(plugin.subscriptions_->all())));
      });
    },
    [](const mcp_host* host, const mcp_subscription_listener* listener) {
      self_of(host).serve("subscriptions.listen", [&](const InProcessPlugin& plugin) {
        if (listener != nullptr && plugin.setup_.follow_subscriptions) plugin.setup_.follow_subscriptions();
        plugin.subscription_listener_->listen(listener);
      });
    }};

const mcp_store InProcessPlugin::store_table = {
    sizeof(mcp_store),
    0,
    [](const mcp_host* host, mcp_string key, const mcp_sink* value, std::uint64_t* revision, const mcp_sink* error) {
      return self_of(host).use_store(StoreOperation::Kind::get, {key}, value, revision, error);
    },
    [](const mcp_host* host, mcp_string key, mcp_string value, std::uint64_t if_revision, std::uint64_t* revision,
       const mcp_sink* error) {
      return self_of(host).use_store(StoreOperation::Kind::put, {key, value, if_revision}, nullptr, revision, error);
    },
    [](const mcp_host* host, mcp_string key, std::uint64_t if_revision, const mcp_sink* error) {
      return self_of(host).use_store(StoreOperation::Kind::erase, {key, {}, if_revision}, nullptr, nullptr, error);
    },
    [](const mcp_host* host, mcp_string prefix, const mcp_sink* keys, const mcp_sink* error) {
      return self_of(host).use_store(StoreOperation::Kind::list, {prefix}, keys, nullptr, error);
    }};

std::int32_t InProcessPlugin::use_store(StoreOperation::Kind kind, const StoreArguments& arguments,
                                        const mcp_sink* text, std::uint64_t* revision, const mcp_sink* error) noexcept {
  StoreAnswer answer{StoreStatus::failed};
  serve("store", [&](const InProcessPlugin& plugin) {
    const auto& [key, value, if_revision] = arguments;
    // What is too long is refused by its size alone.
    const StoreOperation operation{kind, std::string(view(key).substr(0, max_store_key + 1)),
                                   std::string(view(value).substr(0, max_store_value + 1)), if_revision};
    auto invalid = check(operation);
    answer = invalid ? *std::move(invalid) : plugin.setup_.store->perform(operation);
    if (revision != nullptr) *revision = answer.revision;
    const bool is_done = answer.status == StoreStatus::done;
    const auto* const sink = is_done ? text : error;
    if (sink != nullptr && (is_done || !answer.text.empty())) give(plugin.identity_, sink, answer.text);
  });
  return static_cast<std::int32_t>(answer.status);
}

std::uint32_t InProcessPlugin::declare_metric(MetricDefinition definition, const mcp_sink* error) noexcept {
  std::uint32_t number = 0;
  serve("metrics.declare", [&](const InProcessPlugin& plugin) {
    const auto declared = plugin.metrics_->declare(std::move(definition));
    if (declared.has_value()) {
      number = *declared;
    } else if (error != nullptr) {
      give(plugin.identity_, error, declared.error().message);
    }
  });
  return number;
}

void InProcessPlugin::record_metric(std::uint32_t metric, PluginMetrics::Operation operation,
                                    const MetricLabelTable& labels, double value) noexcept {
  serve("metrics.record", [&](InProcessPlugin& plugin) {
    // Of more than there may be, one is enough to be refused.
    const auto count = std::min<std::size_t>(labels.count, PluginMetrics::max_labels + 1);
    PluginMetrics::Labels copy;
    for (std::size_t i = 0; i < count; ++i) {
      copy.emplace_back(view(labels.labels[i].name).substr(0, PluginMetrics::max_name + 1),
                        utf8_prefix(view(labels.labels[i].value), PluginMetrics::max_value));
    }
    const auto recorded = plugin.metrics_->record(metric, operation, std::move(copy), value);
    if (recorded.has_error() && !plugin.told_of_metrics_.test_and_set())
      plugin.report(fail("what it records is left out: " + recorded.error().message));
  });
}

const mcp_metrics InProcessPlugin::metrics_table = {
    sizeof(mcp_metrics),
    0,
    [](const mcp_host* host, std::int32_t kind, mcp_string name, mcp_string help, const double* bounds,
       std::uint32_t bound_count, const mcp_sink* error) {
      const std::size_t count = bounds == nullptr ? 0 : bound_count;
      return self_of(host).declare_metric(declared_metric(kind, view(name), view(help), {bounds, count}), error);
    },
    [](const mcp_host* host, std::uint32_t metric, const mcp_label* labels, std::uint32_t count, double amount) {
      self_of(host).record_metric(metric, PluginMetrics::Operation::add, {labels, count}, amount);
    },
    [](const mcp_host* host, std::uint32_t metric, const mcp_label* labels, std::uint32_t count, double value) {
      self_of(host).record_metric(metric, PluginMetrics::Operation::set, {labels, count}, value);
    },
    [](const mcp_host* host, std::uint32_t metric, const mcp_label* labels, std::uint32_t count, double value) {
      self_of(host).record_metric(metric, PluginMetrics::Operation::observe, {labels, count}, value);
    }};

const mcp_capabilities InProcessPlugin::capabilities_table = {
    sizeof(mcp_capabilities), 0, [](const mcp_host* host, mcp_string json, const mcp_sink* error) -> std::int32_t {
      std::int32_t status = 1;
      self_of(host).serve("capabilities.check", [&](const InProcessPlugin& plugin) {
        const auto read = read_capabilities(view(json));
        status = read.has_value() ? 0 : 1;
        if (read.has_error() && error != nullptr) give(plugin.identity_, error, read.error().message);
      });
      return status;
    }};

}  // namespace mcph
