#include "telemetry/stderr_log.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "support/standard_error.hpp"

namespace mcph {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(Log, WritesAnEventWithItsFieldsAsText) {
  const test::StandardErrorCapture captured;
  StderrLog(Log::Level::info, StderrLog::Format::text)
      .info("served", {{"file", "a b.so"}, {"name", "sums"}, {"calls", 7}});
  EXPECT_THAT(captured.text(), EndsWith(" served file=\"a b.so\" name=sums calls=7\n"));
}

TEST(Log, WritesTheTimeInUtcAsItsWatchersHaveIt) {
  for (const auto format : {StderrLog::Format::text, StderrLog::Format::json}) {
    const test::StandardErrorCapture captured;
    StderrLog(Log::Level::info, format).info("served");
    EXPECT_THAT(captured.text(), ::testing::ContainsRegex("[0-9]T[0-9:]+\\.[0-9][0-9][0-9]Z"));
  }
}

TEST(Log, WritesAnEventWithItsFieldsAsJson) {
  const test::StandardErrorCapture captured;
  StderrLog(Log::Level::info, StderrLog::Format::json).warning("served", {{"text", "\"7\"\n"}, {"calls", 7}});
  auto line = nlohmann::json::parse(captured.text());
  EXPECT_EQ(line.erase("time"), 1U);
  EXPECT_EQ(line, (nlohmann::json{{"level", "warning"}, {"event", "served"}, {"text", "\"7\"\n"}, {"calls", 7}}));
}

// Some terminals take U+009B for ESC [.
TEST(Log, WritesNoCommandOfATerminal) {
  for (const auto format : {StderrLog::Format::text, StderrLog::Format::json}) {
    const test::StandardErrorCapture captured;
    StderrLog(Log::Level::info, format)
        .info("said", {{"a",
                        "\xc2\x9b"
                        "2J"},
                       {"b", "x\x7f y"},
                       {"c", "\x9b"},
                       {"d", "\xc2\xa0\xc3\x9b"}});
    const auto text = captured.text();
    EXPECT_THAT(text, HasSubstr(R"("\u009b2J")"));
    EXPECT_THAT(text, HasSubstr(R"("x\u007f y")"));
    EXPECT_THAT(text, HasSubstr("\"\xef\xbf\xbd\"")) << "it is no UTF-8";
    EXPECT_THAT(text, HasSubstr("\xc2\xa0\xc3\x9b"));
  }
}

TEST(Log, LeavesOutWhatIsBelowItsLevel) {
  const test::StandardErrorCapture captured;
  StderrLog(Log::Level::warning, StderrLog::Format::text).info("served");
  EXPECT_THAT(captured.text(), IsEmpty());
}

}  // namespace
}  // namespace mcph
