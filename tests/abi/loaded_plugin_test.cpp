// Plugins as libraries: the one in plain C and the asynchronous one, loaded, driven through their tables, and unloaded.
#include "loaded_plugin.hpp"

#include <atomic>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <mcp/plugin/testing.hpp>

namespace {

using mcp::Json;
using mcp::testing::Harness;

TEST(PlainC, DescribesAToolAndAResource) {
  LoadedPlugin library(PLAIN_C_PLUGIN);
  ASSERT_TRUE(library.plugin());
  Harness harness(*library.plugin());
  const auto components = harness.describe();
  EXPECT_EQ(components["tools"][0]["name"], "count");
  EXPECT_EQ(components["resources"][0]["uri"], "counter://about");
  EXPECT_EQ(std::string(library.plugin()->name.data, library.plugin()->name.size), "counter");
}

TEST(PlainC, AnswersItsToolItsResourceAndNothingElse) {
  LoadedPlugin library(PLAIN_C_PLUGIN);
  ASSERT_TRUE(library.plugin());
  Harness harness(*library.plugin());
  EXPECT_EQ(harness.call_tool("count").text(), "1");
  EXPECT_EQ(harness.call_tool("count").text(), "2");
  EXPECT_EQ(harness.read("counter://about").text(), "A plugin in plain C.");
  EXPECT_EQ(harness.invoke("prompts/get", {{"name", "none"}}).error_code(), mcp::method_not_found);
}

TEST(PlainC, EachInstanceCountsForItself) {
  LoadedPlugin library(PLAIN_C_PLUGIN);
  ASSERT_TRUE(library.plugin());
  Harness first(*library.plugin());
  Harness second(*library.plugin());
  EXPECT_EQ(first.call_tool("count").text(), "1");
  EXPECT_EQ(second.call_tool("count").text(), "1");
}

TEST(Async, AnswersAfterInvokeHasReturned) {
  LoadedPlugin library(ASYNC_PLUGIN);
  ASSERT_TRUE(library.plugin());
  Harness harness(*library.plugin());
  auto call = harness.start_tool("alarm", {{"milliseconds", 30}});
  EXPECT_FALSE(call.done());
  const auto outcome = call.wait();
  EXPECT_TRUE(outcome.ok());
  EXPECT_EQ(outcome.text(), "ring");
}

TEST(Async, OneThreadServesManyCallsAtOnce) {
  LoadedPlugin library(ASYNC_PLUGIN);
  ASSERT_TRUE(library.plugin());
  Harness harness(*library.plugin());
  std::vector<mcp::testing::PendingCall> calls;
  for (int i = 0; i < 20; ++i)
    calls.push_back(harness.start_tool("alarm", {{"milliseconds", 40 - i}}));
  for (auto& call : calls)
    EXPECT_EQ(call.wait().text(), "ring");
}

TEST(Async, ACancelledCallIsStillAnswered) {
  LoadedPlugin library(ASYNC_PLUGIN);
  ASSERT_TRUE(library.plugin());
  Harness harness(*library.plugin());
  auto call = harness.start_tool("alarm", {{"milliseconds", 60000}});
  call.cancel(mcp::CancelReason::Deadline);
  const auto outcome = call.wait();
  EXPECT_FALSE(outcome.ok());
  EXPECT_EQ(outcome.text(), "cancelled");
}

TEST(Async, CallsThatWaitAtTheEndAreAnsweredBeforeStopReturns) {
  LoadedPlugin library(ASYNC_PLUGIN);
  ASSERT_TRUE(library.plugin());
  static std::atomic<int> answers;
  static std::atomic<std::int32_t> outcome;
  answers = 0;
  mcp_host host{};
  host.size = sizeof host;
  host.complete = [](const mcp_host*, mcp_call_id, std::int32_t kind, mcp_string) {
    outcome = kind;
    ++answers;
  };
  host.is_cancelled = [](const mcp_host*, mcp_call_id) -> std::int32_t { return MCP_CANCEL_NONE; };
  host.configuration = [](const mcp_host*, const mcp_sink*) {};
  const mcp_sink error{nullptr, [](void*, mcp_string) {}};
  void* instance = library.plugin()->create(&host, &error);
  ASSERT_TRUE(instance);
  ASSERT_EQ(library.plugin()->start(instance, &error), 0);
  const std::string method = "tools/call";
  const std::string params = R"({"name":"alarm","arguments":{"milliseconds":60000}})";
  library.plugin()->invoke(instance, 7, {method.data(), method.size()}, {params.data(), params.size()});
  EXPECT_EQ(answers, 0);
  library.plugin()->stop(instance);
  EXPECT_EQ(answers, 1);
  EXPECT_EQ(outcome, MCP_OUTCOME_RESULT);
}

void expect_unloadable(const char* path) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "a sanitizer keeps libraries mapped";
#endif
  LoadedPlugin library(path);
  ASSERT_TRUE(library.plugin());
  { Harness(*library.plugin()).describe(); }
  EXPECT_TRUE(library.is_mapped());
  library.unload();
  EXPECT_FALSE(library.is_mapped());
}

TEST(PlainC, NothingOfItStaysInMemory) {
  expect_unloadable(PLAIN_C_PLUGIN);
}

TEST(Async, NothingOfItStaysInMemory) {
  expect_unloadable(ASYNC_PLUGIN);
}

}  // namespace
