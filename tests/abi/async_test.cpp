// Asynchronous tools: a call is answered exactly once, whatever becomes of it.
#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <mcp/plugin.hpp>
#include <mcp/plugin/executor.hpp>
#include <mcp/plugin/testing.hpp>

#include "unchecked.hpp"

namespace {

using mcp::Json;
using mcp::testing::Harness;

struct Input {
  int value = 0;
  static constexpr auto fields() { return std::tuple{mcp::field("value", &Input::value)}; }
};

TEST(AsyncTool, CompletesWithAnyResultFromAnotherThread) {
  std::thread other;
  Harness harness([&](mcp::Plugin& plugin) {
    plugin.async_tool("t", "Later", [&](const Input& in, mcp::Call call) {
      other = std::thread([value = in.value, call = std::move(call)]() mutable {
        call.progress(0.5, "half");
        call.info("thinking");
        call.complete(value * 2);
      });
    });
    plugin.on_stop([&] { other.join(); });
  });
  EXPECT_EQ(harness.describe()["tools"][0].dump(),
            R"({"name":"t","description":"Later","inputSchema":{"type":"object","properties":{"value":)"
            R"({"type":"integer"}},"required":["value"],"additionalProperties":false}})");
  EXPECT_EQ(harness.call_tool("t", {{"value", 21}}).json.dump(),
            R"({"content":[{"text":"42","type":"text"}],"structuredContent":{"result":42}})");
  EXPECT_EQ(harness.progress().size(), 1U);
  EXPECT_EQ(harness.logs()[0].message, "thinking");
}

TEST(AsyncTool, TakesItsArgumentsAsTheyAre) {
  std::thread other;
  Harness harness([&](mcp::Plugin& plugin) {
    plugin.raw_async_tool("t", "Later", R"({"type":"object","required":["a"]})",
                          [&](const Json& given, mcp::Call call) {
                            other = std::thread([given, call = std::move(call)]() mutable { call.complete(given); });
                          });
    plugin.on_stop([&] { other.join(); });
  });
  EXPECT_EQ(harness.describe()["tools"][0]["inputSchema"].dump(), R"({"type":"object","required":["a"]})");
  EXPECT_EQ(harness.call_tool("t", {{"a", {1, 2}}}).structured(), Json({{"a", {1, 2}}}));
  EXPECT_FALSE(harness.call_tool("t", Json::object()).ok());
}

TEST(AsyncTool, MayCompleteBeforeItsHandlerReturns) {
  Harness harness([](mcp::Plugin& plugin) {
    plugin.async_tool("t", "", [](mcp::Call call) { call.complete("now"); });
    plugin.async_tool("nothing", "", [](mcp::Call call) { call.complete(); });
  });
  EXPECT_EQ(harness.call_tool("t").text(), "now");
  EXPECT_EQ(harness.call_tool("nothing").json.dump(), R"({"content":[]})");
}

TEST(AsyncTool, Failures) {
  Harness harness([](mcp::Plugin& plugin) {
    plugin.async_tool("fail", "", [](mcp::Call call) { call.fail("no luck"); });
    plugin.async_tool("protocol", "", [](mcp::Call call) { call.fail(mcp::ProtocolError(-32000, "custom")); });
    plugin.async_tool("throw", "", [](mcp::Call) { throw std::runtime_error("thrown"); });
    plugin.async_tool(
        "argument", "", [](int, mcp::Call) {}, mcp::arg("a"));
  });
  EXPECT_EQ(harness.call_tool("fail").json.dump(), R"({"content":[{"text":"no luck","type":"text"}],"isError":true})");
  EXPECT_EQ(harness.call_tool("protocol").json.dump(), R"({"code":-32000,"message":"custom"})");
  EXPECT_EQ(harness.call_tool("throw").text(), "thrown");
  EXPECT_EQ(unchecked_call(harness, "argument").text(), R"("a" is missing)");
}

TEST(AsyncTool, ADroppedCallIsAnsweredWithAnError) {
  std::thread other;
  Harness harness([&](mcp::Plugin& plugin) {
    plugin.async_tool("at_once", "", [](mcp::Call) {});
    plugin.async_tool("later", "", [&](mcp::Call call) {
      other = std::thread([call = std::move(call)] {
        const auto& unused = call;
        (void)unused;
      });
    });
    plugin.on_stop([&] { other.join(); });
  });
  for (const char* tool : {"at_once", "later"}) {
    const auto outcome = harness.call_tool(tool);
    EXPECT_FALSE(outcome.ok());
    EXPECT_EQ(outcome.text(), "The tool gave up this call without an answer.");
  }
}

TEST(AsyncTool, ACallThatAsksWhereNobodyHearsTheAnswerSaysSo) {
  Harness harness([](mcp::Plugin& plugin) {
    const auto executor = mcp::Executor::make(plugin);
    plugin.async_tool("t", "", [executor](mcp::Call call) {
      executor->post([call = std::move(call)]() mutable {
        call.elicit<bool>("Sure?");
        call.complete();
      });
    });
  });
  EXPECT_EQ(
      harness.call_tool("t").text(),
      "The tool asked the client something where nobody hears the answer: ask in the handler, and catch nothing of "
      "what the question throws there.");
}

TEST(AsyncTool, OnlyTheFirstAnswerCounts) {
  Harness harness([](mcp::Plugin& plugin) {
    plugin.async_tool("t", "", [](mcp::Call call) {
      call.complete("first");
      call.fail("second");
    });
    plugin.async_tool("u", "", [](mcp::Call call) {
      call.complete("first");
      throw std::runtime_error("second");
    });
  });
  EXPECT_EQ(harness.call_tool("t").text(), "first");
  EXPECT_EQ(harness.call_tool("u").text(), "first");
  ASSERT_EQ(harness.logs().size(), 2U);
  EXPECT_EQ(harness.logs()[0].message, "a call was answered twice; the second answer was ignored");
}

TEST(AsyncTool, AMovedCallRefusesToAnswer) {
  Harness harness([](mcp::Plugin& plugin) {
    plugin.async_tool("t", "", [](mcp::Call call) {
      mcp::Call owner = std::move(call);
      try {
        call.complete("from nowhere");  // NOLINT(bugprone-use-after-move): what is tested
      } catch (const std::logic_error& error) {
        owner.complete(error.what());
      }
    });
  });
  EXPECT_EQ(harness.call_tool("t").text(), "this mcp::Call has been moved to another: use that one");
}

TEST(AsyncTool, AssigningToACallDropsTheOneThatWasThere) {
  std::optional<mcp::Call> owned;
  std::atomic<bool> kept = false;
  Harness harness([&](mcp::Plugin& plugin) {
    plugin.async_tool("keep", "", [&](mcp::Call call) {
      owned.emplace(std::move(call));
      kept = true;
    });
    plugin.async_tool("replace", "", [&](mcp::Call call) {
      *owned = std::move(call);
      owned->complete("mine");
    });
  });
  auto first = harness.start_tool("keep");
  while (!kept)
    std::this_thread::yield();
  EXPECT_EQ(harness.call_tool("replace").text(), "mine");
  EXPECT_EQ(first.wait().text(), "The tool gave up this call without an answer.");
}

TEST(AsyncTool, NoFunctionBeginsOnceAnotherHasAnswered) {
  std::atomic<int> begun = 0;
  std::shared_ptr<mcp::Call> kept;
  std::atomic<bool> is_kept = false;
  Harness harness([&](mcp::Plugin& plugin) {
    plugin.async_tool("t", "", [&](mcp::Call call) {
      kept = std::make_shared<mcp::Call>(std::move(call));
      for (int i = 0; i < 2; ++i) {
        kept->on_cancel([&] {
          ++begun;
          kept->fail("ended");
        });
      }
      is_kept = true;
    });
  });
  auto started = harness.start_tool("t");
  while (!is_kept)
    std::this_thread::yield();
  started.cancel();
  EXPECT_EQ(started.wait().text(), "ended");
  EXPECT_EQ(begun, 1);
}

/// Keeps calls until a test takes them, as a plugin with a queue does.
struct Kept {
  std::mutex mutex;
  std::vector<mcp::Call> calls;
  std::atomic<int> cancelled = 0;
};

void keep(mcp::Plugin& plugin) {
  const auto kept = std::make_shared<Kept>();
  plugin.async_tool("keep", "", [kept](mcp::Call call) {
    call.on_cancel([&kept = *kept] { ++kept.cancelled; });
    const std::lock_guard lock(kept->mutex);
    kept->calls.push_back(std::move(call));
  });
  plugin.tool("count", "", [kept] {
    const std::lock_guard lock(kept->mutex);
    return kept->calls.size();
  });
  plugin.tool("cancelled", "", [kept] { return kept->cancelled.load(); });
  plugin.tool("release", "", [kept] {
    const std::lock_guard lock(kept->mutex);
    for (auto& call : kept->calls)
      call.complete(static_cast<int>(call.cancel_reason()));
    kept->calls.clear();
  });
}

TEST(AsyncTool, FailsWithTheReasonWhenItIsCancelled) {
  std::optional<mcp::Call> kept;
  std::atomic<bool> is_kept = false;
  Harness harness([&](mcp::Plugin& plugin) {
    plugin.async_tool("t", "", [&](mcp::Call call) {
      kept.emplace(std::move(call));
      is_kept = true;
    });
  });
  auto call = harness.start_tool("t");
  while (!is_kept)
    std::this_thread::yield();
  EXPECT_FALSE(kept->fail_if_cancelled());
  EXPECT_FALSE(call.done());
  call.cancel(mcp::CancelReason::Deadline);
  EXPECT_TRUE(kept->fail_if_cancelled());
  const auto outcome = call.wait();
  EXPECT_EQ(outcome.text(), "The call was cancelled, because it took too long.");
  EXPECT_FALSE(outcome.ok());
}

void wait_for(Harness& harness, const std::string& tool, const std::string& text) {
  while (harness.call_tool(tool).text() != text)
    std::this_thread::yield();
}

TEST(AsyncTool, OnCancelRunsOnceAndTheCallIsStillAnswered) {
  Harness harness(keep);
  auto call = harness.start_tool("keep");
  wait_for(harness, "count", "1");
  call.cancel(mcp::CancelReason::Reload);
  call.cancel(mcp::CancelReason::Reload);
  EXPECT_EQ(harness.call_tool("cancelled").text(), "1");
  EXPECT_FALSE(call.done());
  harness.call_tool("release");
  EXPECT_EQ(call.wait().text(), "4");
  call.cancel();
  EXPECT_EQ(harness.call_tool("cancelled").text(), "1");
}

TEST(AsyncTool, CallsThatAreKeptForeverAreAnsweredWhenThePluginStops) {
  auto harness = std::make_unique<Harness>(keep);
  {
    auto call = harness->start_tool("keep");
    wait_for(*harness, "count", "1");
    EXPECT_FALSE(call.done());
  }
  EXPECT_TRUE(harness->logs().empty());
  harness.reset();  // Under AddressSanitizer, a leak or a use after free would end the test here.
}

// An instance whose tool "t" leaves its call to the test, and what its host hears. stop ends the instance, and the host
// with it.
class StoppedPlugin : public ::testing::Test {
 protected:
  void SetUp() override {
    host_.size = sizeof host_;
    host_.context = &heard_;
    host_.complete = [](const mcp_host* self, mcp_call_id, std::int32_t, mcp_string) { ++heard_by(self).answers; };
    host_.log = [](const mcp_host* self, mcp_call_id, std::int32_t, mcp_string) { ++heard_by(self).logs; };
    host_.is_cancelled = [](const mcp_host*, mcp_call_id) -> std::int32_t { return MCP_CANCEL_NONE; };
    host_.configuration = [](const mcp_host*, const mcp_sink*) {};
    const auto setup = [this](mcp::Plugin& plugin) {
      plugin.async_tool("t", "", [this](mcp::Call call) { outlives_.emplace(std::move(call)); });
    };
    const mcp_sink error{nullptr, [](void*, mcp_string) {}};
    instance_ = mcp::detail::create_instance(setup, &host_, &error);
    ASSERT_TRUE(instance_);
    const std::string method = "tools/call";
    const std::string params = R"({"name":"t"})";
    mcp::detail::invoke_instance(instance_, 1, {method.data(), method.size()}, {params.data(), params.size()});
    ASSERT_TRUE(outlives_);
  }
  void stop() {
    mcp::detail::stop_instance(instance_);
    stopped_with_ = heard_;
  }

  struct Heard {
    int answers = 0;
    int logs = 0;
  };
  static Heard& heard_by(const mcp_host* host) { return *static_cast<Heard*>(host->context); }

  std::optional<mcp::Call> outlives_;
  Heard heard_;
  Heard stopped_with_;
  mcp_host host_{};
  void* instance_ = nullptr;
};

TEST_F(StoppedPlugin, HasAnsweredACallThatOutlivesIt) {
  EXPECT_EQ(heard_.answers, 0);
  stop();
  EXPECT_EQ(stopped_with_.answers, 1);
  outlives_.reset();
  EXPECT_EQ(heard_.answers, 1);
}

TEST_F(StoppedPlugin, SaysNothingOfACallThatIsAnsweredOnceMore) {
  outlives_->complete("first");
  stop();
  outlives_->complete("second");
  EXPECT_EQ(heard_.answers, 1);
  EXPECT_EQ(heard_.logs, 0) << "there is no host any more";
}

TEST(AsyncTool, CancelBeforeTheHandlerRunsIsNotLost) {
  std::atomic<bool> seen = false;
  for (int i = 0; i < 200; ++i) {
    Harness harness(keep);
    auto call = harness.start_tool("keep");
    call.cancel();
    wait_for(harness, "count", "1");
    wait_for(harness, "cancelled", "1");
    harness.call_tool("release");
    seen = call.wait().text() == "1";
    ASSERT_TRUE(seen);
  }
}

}  // namespace
