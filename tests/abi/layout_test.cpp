// The layout of the C contract, in literals: what has been released never moves. Offsets are pinned, and sizes from
// below, so that members can be appended. LP64, which is every 64-bit Unix.
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <regex>
#include <string>
#include <string_view>
#include <type_traits>

#include <gtest/gtest.h>
#include <mcp/bundle.h>
#include <mcp/caller.h>
#include <mcp/capabilities.h>
#include <mcp/metrics.h>
#include <mcp/plugin.h>
#include <mcp/server_info.h>
#include <mcp/store.h>
#include <mcp/subscriptions.h>

#if !defined(__LP64__)
#error "these offsets are those of LP64"
#endif

namespace {

TEST(Layout, StringIsFrozen) {
  EXPECT_EQ(sizeof(mcp_string), 16U);
  EXPECT_EQ(offsetof(mcp_string, data), 0U);
  EXPECT_EQ(offsetof(mcp_string, size), 8U);
}

TEST(Layout, SinkIsFrozen) {
  EXPECT_EQ(sizeof(mcp_sink), 16U);
  EXPECT_EQ(offsetof(mcp_sink, context), 0U);
  EXPECT_EQ(offsetof(mcp_sink, write), 8U);
}

TEST(Layout, HostOnlyGrowsAtItsEnd) {
  EXPECT_EQ(offsetof(mcp_host, size), 0U);
  EXPECT_EQ(offsetof(mcp_host, reserved), 4U);
  EXPECT_EQ(offsetof(mcp_host, context), 8U);
  EXPECT_EQ(offsetof(mcp_host, complete), 16U);
  EXPECT_EQ(offsetof(mcp_host, progress), 24U);
  EXPECT_EQ(offsetof(mcp_host, log), 32U);
  EXPECT_EQ(offsetof(mcp_host, is_cancelled), 40U);
  EXPECT_EQ(offsetof(mcp_host, call_context), 48U);
  EXPECT_EQ(offsetof(mcp_host, configuration), 56U);
  EXPECT_EQ(offsetof(mcp_host, data_directory), 64U);
  EXPECT_EQ(offsetof(mcp_host, components_changed), 72U);
  EXPECT_EQ(offsetof(mcp_host, resource_updated), 80U);
  EXPECT_EQ(offsetof(mcp_host, get_interface), 88U);
  EXPECT_GE(sizeof(mcp_host), 96U);
}

TEST(Layout, PluginOnlyGrowsAtItsEnd) {
  EXPECT_EQ(offsetof(mcp_plugin, size), 0U);
  EXPECT_EQ(offsetof(mcp_plugin, flags), 4U);
  EXPECT_EQ(offsetof(mcp_plugin, name), 8U);
  EXPECT_EQ(offsetof(mcp_plugin, version), 24U);
  EXPECT_EQ(offsetof(mcp_plugin, id), 40U);
  EXPECT_EQ(offsetof(mcp_plugin, vendor), 56U);
  EXPECT_EQ(offsetof(mcp_plugin, description), 72U);
  EXPECT_EQ(offsetof(mcp_plugin, url), 88U);
  EXPECT_EQ(offsetof(mcp_plugin, create), 104U);
  EXPECT_EQ(offsetof(mcp_plugin, describe), 112U);
  EXPECT_EQ(offsetof(mcp_plugin, start), 120U);
  EXPECT_EQ(offsetof(mcp_plugin, invoke), 128U);
  EXPECT_EQ(offsetof(mcp_plugin, cancel), 136U);
  EXPECT_EQ(offsetof(mcp_plugin, stop), 144U);
  EXPECT_GE(sizeof(mcp_plugin), 152U);
}

TEST(Layout, ServerInfoOnlyGrowsAtItsEnd) {
  EXPECT_EQ(std::string_view(MCP_SERVER_INFO), "mcp.server-info/1");
  EXPECT_EQ(offsetof(mcp_server_info, size), 0U);
  EXPECT_EQ(offsetof(mcp_server_info, reserved), 4U);
  EXPECT_EQ(offsetof(mcp_server_info, describe), 8U);
  EXPECT_GE(sizeof(mcp_server_info), 16U);
  EXPECT_TRUE((std::is_same_v<void (*)(const mcp_host*, const mcp_sink*), decltype(mcp_server_info::describe)>));
}

TEST(Layout, CallerOnlyGrowsAtItsEnd) {
  EXPECT_EQ(std::string_view(MCP_CALLER), "mcp.caller/1");
  EXPECT_EQ(offsetof(mcp_caller, size), 0U);
  EXPECT_EQ(offsetof(mcp_caller, reserved), 4U);
  EXPECT_EQ(offsetof(mcp_caller, describe), 8U);
  EXPECT_GE(sizeof(mcp_caller), 16U);
  EXPECT_TRUE(
      (std::is_same_v<void (*)(const mcp_host*, mcp_call_id, const mcp_sink*), decltype(mcp_caller::describe)>));
}

TEST(Layout, BundleOnlyGrowsAtItsEnd) {
  EXPECT_EQ(std::string_view(MCP_BUNDLE), "mcp.bundle/1");
  EXPECT_EQ(offsetof(mcp_bundle, size), 0U);
  EXPECT_EQ(offsetof(mcp_bundle, reserved), 4U);
  EXPECT_EQ(offsetof(mcp_bundle, directory), 8U);
  EXPECT_GE(sizeof(mcp_bundle), 16U);
  EXPECT_TRUE((std::is_same_v<void (*)(const mcp_host*, const mcp_sink*), decltype(mcp_bundle::directory)>));
}

TEST(Layout, SubscriptionsOnlyGrowAtTheirEnd) {
  EXPECT_EQ(std::string_view(MCP_SUBSCRIPTIONS), "mcp.subscriptions/1");
  EXPECT_EQ(offsetof(mcp_subscriptions, size), 0U);
  EXPECT_EQ(offsetof(mcp_subscriptions, reserved), 4U);
  EXPECT_EQ(offsetof(mcp_subscriptions, list), 8U);
  EXPECT_EQ(offsetof(mcp_subscriptions, listen), 16U);
  EXPECT_GE(sizeof(mcp_subscriptions), 24U);
  EXPECT_TRUE((std::is_same_v<void (*)(const mcp_host*, const mcp_sink*), decltype(mcp_subscriptions::list)>));
  EXPECT_TRUE((std::is_same_v<void (*)(const mcp_host*, const mcp_subscription_listener*),
                              decltype(mcp_subscriptions::listen)>));
  EXPECT_EQ(offsetof(mcp_subscription_listener, size), 0U);
  EXPECT_EQ(offsetof(mcp_subscription_listener, reserved), 4U);
  EXPECT_EQ(offsetof(mcp_subscription_listener, context), 8U);
  EXPECT_EQ(offsetof(mcp_subscription_listener, subscribed), 16U);
  EXPECT_EQ(offsetof(mcp_subscription_listener, unsubscribed), 24U);
  EXPECT_GE(sizeof(mcp_subscription_listener), 32U);
  EXPECT_TRUE((std::is_same_v<void (*)(void*, mcp_string), decltype(mcp_subscription_listener::subscribed)>));
  EXPECT_TRUE((std::is_same_v<void (*)(void*, mcp_string), decltype(mcp_subscription_listener::unsubscribed)>));
}

TEST(Layout, StoreOnlyGrowsAtItsEnd) {
  EXPECT_EQ(std::string_view(MCP_STORE), "mcp.store/1");
  EXPECT_EQ(offsetof(mcp_store, size), 0U);
  EXPECT_EQ(offsetof(mcp_store, reserved), 4U);
  EXPECT_EQ(offsetof(mcp_store, get), 8U);
  EXPECT_EQ(offsetof(mcp_store, put), 16U);
  EXPECT_EQ(offsetof(mcp_store, erase), 24U);
  EXPECT_EQ(offsetof(mcp_store, list), 32U);
  EXPECT_GE(sizeof(mcp_store), 40U);
  using Get = std::int32_t (*)(const mcp_host*, mcp_string, const mcp_sink*, std::uint64_t*, const mcp_sink*);
  using Put = std::int32_t (*)(const mcp_host*, mcp_string, mcp_string, std::uint64_t, std::uint64_t*, const mcp_sink*);
  using Erase = std::int32_t (*)(const mcp_host*, mcp_string, std::uint64_t, const mcp_sink*);
  using List = std::int32_t (*)(const mcp_host*, mcp_string, const mcp_sink*, const mcp_sink*);
  EXPECT_TRUE((std::is_same_v<Get, decltype(mcp_store::get)> && std::is_same_v<Put, decltype(mcp_store::put)>));
  EXPECT_TRUE((std::is_same_v<Erase, decltype(mcp_store::erase)> && std::is_same_v<List, decltype(mcp_store::list)>));
  EXPECT_EQ(MCP_STORE_DONE, 0);
  EXPECT_EQ(MCP_STORE_ABSENT, 1);
  EXPECT_EQ(MCP_STORE_CHANGED, 2);
  EXPECT_EQ(MCP_STORE_INVALID, 3);
  EXPECT_EQ(MCP_STORE_FULL, 4);
  EXPECT_EQ(MCP_STORE_FAILED, 5);
  EXPECT_EQ(MCP_STORE_ANY, UINT64_MAX);
}

TEST(Layout, MetricsOnlyGrowAtTheirEnd) {
  EXPECT_EQ(std::string_view(MCP_METRICS), "mcp.metrics/1");
  EXPECT_EQ(sizeof(mcp_label), 32U) << "frozen";
  EXPECT_EQ(offsetof(mcp_label, name), 0U);
  EXPECT_EQ(offsetof(mcp_label, value), 16U);
  EXPECT_EQ(offsetof(mcp_metrics, size), 0U);
  EXPECT_EQ(offsetof(mcp_metrics, reserved), 4U);
  EXPECT_EQ(offsetof(mcp_metrics, declare), 8U);
  EXPECT_EQ(offsetof(mcp_metrics, add), 16U);
  EXPECT_EQ(offsetof(mcp_metrics, set), 24U);
  EXPECT_EQ(offsetof(mcp_metrics, observe), 32U);
  EXPECT_GE(sizeof(mcp_metrics), 40U);
  using Declare = std::uint32_t (*)(const mcp_host*, std::int32_t, mcp_string, mcp_string, const double*, std::uint32_t,
                                    const mcp_sink*);
  using Record = void (*)(const mcp_host*, std::uint32_t, const mcp_label*, std::uint32_t, double);
  EXPECT_TRUE((std::is_same_v<Declare, decltype(mcp_metrics::declare)>));
  EXPECT_TRUE(
      (std::is_same_v<Record, decltype(mcp_metrics::add)> && std::is_same_v<Record, decltype(mcp_metrics::set)>));
  EXPECT_TRUE((std::is_same_v<Record, decltype(mcp_metrics::observe)>));
  EXPECT_EQ(MCP_METRIC_COUNTER, 0);
  EXPECT_EQ(MCP_METRIC_GAUGE, 1);
  EXPECT_EQ(MCP_METRIC_HISTOGRAM, 2);
}

TEST(Layout, CapabilitiesOnlyGrowAtTheirEnd) {
  EXPECT_EQ(std::string_view(MCP_CAPABILITIES), "mcp.capabilities/1");
  EXPECT_EQ(offsetof(mcp_capabilities, size), 0U);
  EXPECT_EQ(offsetof(mcp_capabilities, reserved), 4U);
  EXPECT_EQ(offsetof(mcp_capabilities, check), 8U);
  EXPECT_GE(sizeof(mcp_capabilities), 16U);
  EXPECT_TRUE((std::is_same_v<std::int32_t (*)(const mcp_host*, mcp_string, const mcp_sink*),
                              decltype(mcp_capabilities::check)>));
}

TEST(Layout, EverythingIsPlainData) {
  EXPECT_TRUE(std::is_standard_layout_v<mcp_string> && std::is_trivial_v<mcp_string>);
  EXPECT_TRUE(std::is_standard_layout_v<mcp_sink> && std::is_trivial_v<mcp_sink>);
  EXPECT_TRUE(std::is_standard_layout_v<mcp_host> && std::is_trivial_v<mcp_host>);
  EXPECT_TRUE(std::is_standard_layout_v<mcp_plugin> && std::is_trivial_v<mcp_plugin>);
}

template <class Expected, class Actual>
constexpr bool same = std::is_same_v<Expected, Actual>;

TEST(Layout, SignaturesOfTheHostsFunctions) {
  EXPECT_TRUE((same<void (*)(const mcp_host*, mcp_call_id, std::int32_t, mcp_string), decltype(mcp_host::complete)>));
  EXPECT_TRUE((same<void (*)(const mcp_host*, mcp_call_id, double, double, mcp_string), decltype(mcp_host::progress)>));
  EXPECT_TRUE((same<void (*)(const mcp_host*, mcp_call_id, std::int32_t, mcp_string), decltype(mcp_host::log)>));
  EXPECT_TRUE((same<std::int32_t (*)(const mcp_host*, mcp_call_id), decltype(mcp_host::is_cancelled)>));
  EXPECT_TRUE((same<void (*)(const mcp_host*, mcp_call_id, const mcp_sink*), decltype(mcp_host::call_context)>));
  EXPECT_TRUE((same<void (*)(const mcp_host*, const mcp_sink*), decltype(mcp_host::configuration)>));
  EXPECT_TRUE((same<void (*)(const mcp_host*, const mcp_sink*), decltype(mcp_host::data_directory)>));
  EXPECT_TRUE((same<void (*)(const mcp_host*), decltype(mcp_host::components_changed)>));
  EXPECT_TRUE((same<void (*)(const mcp_host*, mcp_string), decltype(mcp_host::resource_updated)>));
  EXPECT_TRUE((same<const void* (*)(const mcp_host*, const char*), decltype(mcp_host::get_interface)>));
  EXPECT_TRUE((same<void (*)(void*, mcp_string), decltype(mcp_sink::write)>));
}

TEST(Layout, SignaturesOfThePluginsFunctions) {
  EXPECT_TRUE((same<void* (*)(const mcp_host*, const mcp_sink*), decltype(mcp_plugin::create)>));
  EXPECT_TRUE((same<std::int32_t (*)(void*, const mcp_sink*, const mcp_sink*), decltype(mcp_plugin::describe)>));
  EXPECT_TRUE((same<std::int32_t (*)(void*, const mcp_sink*), decltype(mcp_plugin::start)>));
  EXPECT_TRUE((same<void (*)(void*, mcp_call_id, mcp_string, mcp_string), decltype(mcp_plugin::invoke)>));
  EXPECT_TRUE((same<void (*)(void*, mcp_call_id, std::int32_t), decltype(mcp_plugin::cancel)>));
  EXPECT_TRUE((same<void (*)(void*), decltype(mcp_plugin::stop)>));
  EXPECT_TRUE((same<const mcp_plugin* (*)(void), mcp_plugin_entry_v1_fn>));
  EXPECT_TRUE((same<std::uint64_t, mcp_call_id>));
}

// Plain literals have these types wherever the contract is served.
static_assert(same<std::int32_t, decltype(MCP_OUTCOME_RESULT)>);
static_assert(same<std::int32_t, decltype(MCP_CANCEL_NONE)>);
static_assert(same<std::int32_t, decltype(MCP_LOG_DEBUG)>);
static_assert(same<std::uint32_t, decltype(MCP_PLUGIN_SERIAL)>);

// What makes bindings for other languages evaluates literals only: bindgen makes no constant of INT32_C(0).
TEST(Layout, ConstantsAreLiterals) {
  const std::regex numbers(R"(#define MCP_(OUTCOME|CANCEL|LOG|PLUGIN)_[A-Z_]+ (.*))");
  const std::regex literal(R"((\d+U?|"[^"]*")( +/\*.*)?)");
  std::size_t found = 0;
  std::ifstream header(PROJECT_ROOT "/plugin-api/include/mcp/plugin.h");
  for (std::string line; std::getline(header, line);) {
    std::smatch parts;
    if (!std::regex_match(line, parts, numbers) || line.find("MCP_PLUGIN_EXPORT") != std::string::npos) continue;
    ++found;
    EXPECT_TRUE(std::regex_match(parts[2].str(), literal)) << line;
  }
  EXPECT_EQ(found, 21U);
}

TEST(Layout, Constants) {
  EXPECT_EQ(MCP_PLUGIN_API_VERSION_MAJOR, 1);
  EXPECT_EQ(MCP_PLUGIN_API_VERSION_MINOR, 0);
  EXPECT_EQ(std::string_view(MCP_PLUGIN_ENTRY_SYMBOL), "mcp_plugin_entry_v1");
  EXPECT_EQ(MCP_OUTCOME_RESULT, 0);
  EXPECT_EQ(MCP_OUTCOME_ERROR, 1);
  EXPECT_EQ(MCP_OUTCOME_INPUT_REQUIRED, 2);
  EXPECT_EQ(MCP_CANCEL_NONE, 0);
  EXPECT_EQ(MCP_CANCEL_CLIENT, 1);
  EXPECT_EQ(MCP_CANCEL_DEADLINE, 2);
  EXPECT_EQ(MCP_CANCEL_SHUTDOWN, 3);
  EXPECT_EQ(MCP_CANCEL_RELOAD, 4);
  EXPECT_EQ(MCP_LOG_DEBUG, 0);
  EXPECT_EQ(MCP_LOG_INFO, 1);
  EXPECT_EQ(MCP_LOG_NOTICE, 2);
  EXPECT_EQ(MCP_LOG_WARNING, 3);
  EXPECT_EQ(MCP_LOG_ERROR, 4);
  EXPECT_EQ(MCP_LOG_CRITICAL, 5);
  EXPECT_EQ(MCP_LOG_ALERT, 6);
  EXPECT_EQ(MCP_LOG_EMERGENCY, 7);
  EXPECT_EQ(MCP_PLUGIN_SERIAL, 1U);
  EXPECT_EQ(MCP_PLUGIN_NEVER_UNLOAD, 2U);
}

TEST(Layout, HasIsFalseForAMemberThatTheOtherSideDidNotKnow) {
  mcp_host host{};
  host.get_interface = [](const mcp_host*, const char*) -> const void* { return nullptr; };
  host.size = sizeof(mcp_host);
  EXPECT_TRUE(MCP_HAS(&host, mcp_host, get_interface));
  host.size = offsetof(mcp_host, get_interface);
  EXPECT_FALSE(MCP_HAS(&host, mcp_host, get_interface));
  host.size = sizeof(mcp_host);
  host.get_interface = nullptr;
  EXPECT_FALSE(MCP_HAS(&host, mcp_host, get_interface));
}

}  // namespace
