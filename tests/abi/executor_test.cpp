// The executor of asynchronous tools: what it runs, when, and what becomes of what waits when its plugin stops.
#include <atomic>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include <gtest/gtest.h>
#include <mcp/plugin.hpp>
#include <mcp/plugin/executor.hpp>
#include <mcp/plugin/testing.hpp>

namespace {

using namespace std::chrono_literals;
using mcp::testing::Harness;

// A plugin with a tool that answers after so many milliseconds.
void set_up(mcp::Plugin& plugin, unsigned threads) {
  const auto executor = mcp::Executor::make(plugin, threads);
  plugin.async_tool(
      "later", "",
      [executor](int ms, mcp::Call call) {
        executor->after(std::chrono::milliseconds(ms), [ms, call = std::move(call)]() mutable { call.complete(ms); });
      },
      mcp::arg("ms"));
}

TEST(Executor, CompletesCallsAfterAWhile) {
  Harness harness([](mcp::Plugin& plugin) { set_up(plugin, 1); });
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(harness.call_tool("later", {{"ms", 30}}).text(), "30");
  EXPECT_GE(std::chrono::steady_clock::now() - begin, 30ms);
  EXPECT_EQ(harness.call_tool("later", {{"ms", 0}}).text(), "0");
}

TEST(Executor, HoldsNoThreadForWhatWaits) {
  Harness harness([](mcp::Plugin& plugin) { set_up(plugin, 1); });
  const auto slow = harness.start_tool("later", {{"ms", 3'600'000}});
  EXPECT_EQ(harness.call_tool("later", {{"ms", 1}}).text(), "1");
  EXPECT_FALSE(slow.done());
}

TEST(Executor, RunsNothingThatIsForNever) {
  std::atomic<bool> has_run{false};
  Harness harness([&](mcp::Plugin& plugin) {
    const auto executor = mcp::Executor::make(plugin, 1);
    executor->after(std::chrono::steady_clock::duration::max(), [&] { has_run = true; });
    plugin.async_tool("soon", "", [executor](mcp::Call call) {
      executor->after(1ms, [call = std::move(call)]() mutable { call.complete(); });
    });
  });
  EXPECT_TRUE(harness.call_tool("soon").ok());
  EXPECT_FALSE(has_run);
}

TEST(Executor, TellsWhatItsFunctionsThrow) {
  Harness harness([](mcp::Plugin& plugin) {
    const auto executor = mcp::Executor::make(plugin);
    plugin.async_tool("t", "", [executor](mcp::Call call) {
      executor->post([call = std::move(call)]() mutable {
        const mcp::Call own = std::move(call);
        throw std::runtime_error("no luck");
      });
    });
  });
  EXPECT_EQ(harness.call_tool("t").text(), "The tool gave up this call without an answer.");
}

TEST(Executor, HasAThread) {
  EXPECT_THROW(Harness([](mcp::Plugin& plugin) { mcp::Executor::make(plugin, 0); }), std::runtime_error);
}

}  // namespace
