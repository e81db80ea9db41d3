#include "metrics/request_metrics.hpp"

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "protocol/caller.hpp"
#include "support/eventually.hpp"
#include "support/served_plugin.hpp"

namespace mcph {
namespace {

using namespace std::chrono_literals;
using CallOutcome = CallEnd::Outcome;

class RequestMetricsTest : public ::testing::Test {
 protected:
  static ObservedCall call_of(const std::string& tool, bool is_served) {
    static const auto caller = std::make_shared<const Caller>(Caller{"2026-07-28"});
    return {.id = "1", .method = Method::tools_call, .component = tool, .is_served = is_served, .caller = caller};
  }
  void end(const std::string& tool, bool is_served = true, CallOutcome outcome = CallOutcome::result, int code = 0) {
    const auto call = call_of(tool, is_served);
    metrics_.ended({call, outcome, code, 1ms});
  }

  std::string text() const {
    MetricText text;
    metrics_.write(text);
    return std::move(text).text();
  }
  // How many series there are of requests.
  std::size_t series() const {
    const auto all = text();
    std::size_t count = 0;
    for (auto at = all.find("operation_duration_seconds_count{"); at != std::string::npos;
         at = all.find("operation_duration_seconds_count{", at + 1))
      ++count;
    return count;
  }
  bool has(const std::string& labels, int count) const {
    const auto line = "_count{mcp_method_name=" + labels + "} " + std::to_string(count) + "\n";
    return text().find(line) != std::string::npos;
  }

  RequestMetrics metrics_;
};

constexpr auto usual = R"(,mcp_protocol_version="2026-07-28",network_transport="tcp")";

TEST_F(RequestMetricsTest, CountEachWayInWhichARequestEnds) {
  end("add");
  end("add");
  end("add", true, CallOutcome::tool_error);
  end("add", true, CallOutcome::abandoned);
  end("add", true, CallOutcome::error, -32603);
  end("add", true, CallOutcome::error, 4711);
  const std::string add = R"("tools/call",gen_ai_tool_name="add")";
  EXPECT_TRUE(has(add + usual, 2)) << text();
  for (const auto* const error : {"tool_error", "cancelled", "-32603", "_OTHER"})
    EXPECT_TRUE(has(add + R"(,error_type=")" + error + '"' + usual, 1)) << error;
}

TEST_F(RequestMetricsTest, NameNothingThatAClientHasInvented) {
  for (int i = 0; i < 10'000; ++i)
    end("invented " + std::to_string(i), false, CallOutcome::error, -32602);
  EXPECT_EQ(series(), 1U);
  EXPECT_TRUE(has(R"("tools/call",gen_ai_tool_name="_OTHER",error_type="-32602")" + std::string(usual), 10'000));
  ObservedCall unknown{.id = "1", .method = {}, .unknown_method = "invented"};
  metrics_.ended({unknown, CallOutcome::error, -32601, 1ms});
  EXPECT_TRUE(has(R"("_OTHER",error_type="-32601",network_transport="tcp")", 1)) << text();
  const auto version = std::make_shared<const Caller>(Caller{"2999-01-01"});
  unknown.caller = version;
  metrics_.ended({unknown, CallOutcome::error, -32601, 1ms});
  EXPECT_TRUE(has(R"("_OTHER",error_type="-32601",mcp_protocol_version="_OTHER",network_transport="tcp")", 1));
}

TEST_F(RequestMetricsTest, NameNoUri) {
  auto call = call_of("notes://all", true);
  call.method = Method::resources_read;
  metrics_.ended({call, CallOutcome::result, 0, 1ms});
  EXPECT_EQ(text().find("notes"), std::string::npos);
  EXPECT_TRUE(has(R"("resources/read")" + std::string(usual), 1));
}

TEST_F(RequestMetricsTest, ForgetWhatIsServedNoMore) {
  const auto plugin = std::make_shared<test::FakePlugin>("/components/tools/sums.so");
  const Catalog catalog(
      1, {{plugin, test::components_of(R"({"tools": [{"name": "add", "inputSchema": {"type": "object"}}]})")}});
  for (int i = 0; i < 10'000; ++i) {
    end("version " + std::to_string(i));
    end("add");
    if (i % 100 == 0) metrics_.keep_only(catalog);
  }
  metrics_.keep_only(catalog);
  EXPECT_EQ(series(), 1U);
  EXPECT_TRUE(has(R"("tools/call",gen_ai_tool_name="add")" + std::string(usual), 10'000));
  metrics_.keep_only(Catalog());
  EXPECT_EQ(series(), 0U);
}

TEST_F(RequestMetricsTest, ForgetWithoutWaitingForWhoReadsThem) {
  const auto fill = [this] {
    for (int i = 0; i < 1000; ++i)
      end("version " + std::to_string(i));
  };
  fill();
  std::atomic<bool> ended = false;
  std::thread reader([&] {
    while (!ended)
      text();
  });
  EXPECT_TRUE(test::eventually([&] {
    const bool done = metrics_.try_keep_only(Catalog());
    if (done) fill();
    return !done;
  }));
  ended = true;
  reader.join();
  EXPECT_TRUE(metrics_.try_keep_only(Catalog()));
  EXPECT_EQ(series(), 0U);
}

TEST_F(RequestMetricsTest, LoseNothingOfManyThreads) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([this] {
      for (int j = 0; j < 10'000; ++j)
        end("add");
    });
  }
  for (int i = 0; i < 20; ++i)
    text();
  for (auto& thread : threads)
    thread.join();
  EXPECT_TRUE(has(R"("tools/call",gen_ai_tool_name="add")" + std::string(usual), 40'000)) << text();
}

TEST_F(RequestMetricsTest, TellHowLongSessionsLasted) {
  metrics_.session_ended({"2025-11-25", NetworkTransport::tcp, 10s});
  const auto line =
      R"(session_duration_seconds_bucket{mcp_protocol_version="2025-11-25",network_transport="tcp",le="10"} 1)";
  EXPECT_NE(text().find(line), std::string::npos) << text();
}

}  // namespace
}  // namespace mcph
