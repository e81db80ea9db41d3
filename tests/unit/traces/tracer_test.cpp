#include "traces/tracer.hpp"

#include <set>
#include <string>

#include <gtest/gtest.h>

#include "base/json.hpp"
#include "support/json_value.hpp"
#include "support/recording_log.hpp"

namespace mcph {
namespace {

constexpr auto trace = "0af7651916cd43dd8448eb211c80319c";
constexpr auto parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
constexpr auto unsampled = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00";

class TracerTest : public ::testing::Test {
 protected:
  Tracer tracer(double ratio) { return Tracer(exporter_, ratio, 7); }

  test::RecordingLog log_{Log::Level::off};
  SpanExporter exporter_{{}, log_};
};

TEST_F(TracerTest, GoesOnWithTheTraceOfTheClient) {
  auto tracer = this->tracer(0);
  const auto span = tracer.begin_span(test::json_value(Json{{"traceparent", parent}, {"tracestate", "a=1"}}), {});
  ASSERT_NE(span, nullptr);
  EXPECT_EQ(span->trace_id, trace);
  EXPECT_EQ(span->parent_id, "b7ad6b7169203331");
  EXPECT_EQ(span->state, "a=1");
  EXPECT_EQ(span->span_id.size(), 16U);
  const auto part = tracer.begin_part(*span);
  EXPECT_EQ(part->trace_id, trace);
  EXPECT_EQ(part->parent_id, span->span_id);
  EXPECT_NE(part->span_id, span->span_id);
}

TEST_F(TracerTest, RecordsNothingThatTheClientDoesNot) {
  EXPECT_EQ(tracer(1).begin_span(test::json_value(Json{{"traceparent", unsampled}}), {}), nullptr);
}

TEST_F(TracerTest, BeginsAsManyTracesAsItIsTo) {
  EXPECT_EQ(tracer(0).begin_span({}, {}), nullptr);
  auto half = tracer(0.5);
  auto all = tracer(1);
  std::set<std::string> traces;
  int count = 0;
  for (int i = 0; i < 10'000; ++i) {
    if (half.begin_span({}, {}) != nullptr) ++count;
    const auto span = all.begin_span(test::json_value("{}"), {});
    ASSERT_NE(span, nullptr);
    EXPECT_EQ(span->trace_id.size(), 32U);
    EXPECT_TRUE(span->parent_id.empty());
    traces.insert(span->trace_id);
  }
  EXPECT_GT(count, 4'700);
  EXPECT_LT(count, 5'300);
  EXPECT_EQ(traces.size(), 10'000U);
}

TEST_F(TracerTest, TakesNothingForATraceThatIsNone) {
  auto tracer = this->tracer(1);
  for (const auto& meta : {Json("text"), Json({{"traceparent", 7}}), Json({{"traceparent", "00-0-0-01"}})}) {
    const auto span = tracer.begin_span(test::json_value(meta), {.trace_parent = "nonsense"});
    ASSERT_NE(span, nullptr);
    EXPECT_TRUE(span->parent_id.empty());
    EXPECT_TRUE(span->link.empty());
  }
  EXPECT_EQ(tracer.begin_span({}, {.trace_parent = parent})->link, parent);
}

}  // namespace
}  // namespace mcph
