#include "telemetry/stderr_log.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "support/standard_error.hpp"

namespace mcph {
namespace {

using ::testing::EndsWith;
using ::testing::IsEmpty;

TEST(Log, WritesAnEventWithItsFieldsAsText) {
  const test::StandardErrorCapture captured;
  StderrLog(Log::Level::info, StderrLog::Format::text)
      .info("served", {{"file", "a b.so"}, {"name", "sums"}, {"calls", 7}});
  EXPECT_THAT(captured.text(), EndsWith(" served file=\"a b.so\" name=sums calls=7\n"));
}

TEST(Log, WritesAnEventWithItsFieldsAsJson) {
  const test::StandardErrorCapture captured;
  StderrLog(Log::Level::info, StderrLog::Format::json).warning("served", {{"text", "\"7\"\n"}, {"calls", 7}});
  auto line = nlohmann::json::parse(captured.text());
  EXPECT_EQ(line.erase("time"), 1U);
  EXPECT_EQ(line, (nlohmann::json{{"level", "warning"}, {"event", "served"}, {"text", "\"7\"\n"}, {"calls", 7}}));
}

TEST(Log, LeavesOutWhatIsBelowItsLevel) {
  const test::StandardErrorCapture captured;
  StderrLog(Log::Level::warning, StderrLog::Format::text).info("served");
  EXPECT_THAT(captured.text(), IsEmpty());
}

}  // namespace
}  // namespace mcph
