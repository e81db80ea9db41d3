#include "telemetry/metric_text.hpp"

#include <gtest/gtest.h>

#include "telemetry/histogram.hpp"

namespace mcph {
namespace {

using namespace std::chrono_literals;

TEST(MetricTextTest, HasOneLineASampleBehindWhatTheMetricIs) {
  MetricText text;
  text.begin("calls_total", "counter", "Calls.");
  text.sample({{"tool", "add"}, {"error", ""}}, std::uint64_t{18'446'744'073'709'551'615U});
  text.sample({}, 0.25);
  EXPECT_EQ(std::move(text).text(),
            "# HELP calls_total Calls.\n"
            "# TYPE calls_total counter\n"
            "calls_total{tool=\"add\"} 18446744073709551615\n"
            "calls_total 0.25\n");
}

TEST(MetricTextTest, EscapesWhatWouldEndALabel) {
  EXPECT_EQ(MetricLabels({{"a", "\"\\\n"}}).text(), R"(a="\"\\\n")");
  EXPECT_EQ(MetricLabels({{"a", "\xC3\xA4\xFF\xC3"}}).text(), "a=\"\xC3\xA4??\"");
}

TEST(MetricTextTest, CountsAHistogramUpToEachBound) {
  Histogram histogram;
  histogram.add(100us);
  histogram.add(101us);
  histogram.add(1h);
  histogram.add(Histogram::Time::zero());
  MetricText text;
  text.begin("took_seconds", "histogram", "Time.");
  text.sample({{"tool", "add"}}, histogram);
  const auto whole = std::move(text).text();
  const auto has = [&](const std::string& line) {
    return whole.find("\ntook_seconds" + line + "\n") != std::string::npos;
  };
  EXPECT_TRUE(has(R"(_bucket{tool="add",le="0.0001"} 2)")) << "a bound belongs to its bucket: " << whole;
  EXPECT_TRUE(has(R"(_bucket{tool="add",le="0.0002"} 3)"));
  EXPECT_TRUE(has(R"(_bucket{tool="add",le="300"} 3)"));
  EXPECT_TRUE(has(R"(_bucket{tool="add",le="+Inf"} 4)"));
  EXPECT_TRUE(has(R"(_sum{tool="add"} 3600.000201)"));
  EXPECT_TRUE(has(R"(_count{tool="add"} 4)"));
}

}  // namespace
}  // namespace mcph
