#include "telemetry/last_words.hpp"

#include <regex>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "support/standard_error.hpp"

namespace mcph {
namespace {

using ::testing::StartsWith;

// With its digits alike, because they are of another moment.
std::string without_time(const std::string& line) {
  static const std::regex time(R"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3})");
  return std::regex_replace(line, time, "TIME", std::regex_constants::format_first_only);
}

constexpr auto difficult = "a \"b\\c\" \xc3\xa4";

TEST(LastWords, AreAsTheLogHasThem) {
  for (const auto format : {StderrLog::Format::text, StderrLog::Format::json}) {
    std::string logged;
    {
      const test::StandardErrorCapture captured;
      StderrLog(Log::Level::info, format).error("plugin crashed", {{"plugin", "sums"}, {"what", difficult}, {"x", ""}});
      logged = captured.text();
    }
    const test::StandardErrorCapture captured;
    LastWords(format).write("plugin crashed", {{"plugin", "sums"}, {"what", difficult}, {"x", ""}});
    EXPECT_THAT(without_time(captured.text()),
                StartsWith(format == StderrLog::Format::json ? "{\"time\":\"TIME" : "TIME"));
    EXPECT_EQ(without_time(captured.text()), without_time(logged));
  }
}

TEST(LastWords, HaveNoCommandOfATerminal) {
  const test::StandardErrorCapture captured;
  LastWords(StderrLog::Format::text)
      .write("plugin crashed", {{"what",
                                 "\xc2\x9b"
                                 "2J \x7f"}});
  EXPECT_THAT(captured.text(), testing::EndsWith(" plugin crashed what=\" 2J  \"\n"));
}

TEST(LastWords, AreCutOffAtTheEndOfACharacter) {
  const test::StandardErrorCapture captured;
  const std::string text = "x" + std::string(2000, '\n');
  std::string letters;
  for (int i = 0; i < 1000; ++i)
    letters += "\xc3\xa4";
  LastWords(StderrLog::Format::json)
      .write("long", {{"a", text}, {"b", "x" + letters}, {"c", text}, {"d", text}, {"e", text}, {"f", text}});
  const auto line = nlohmann::json::parse(captured.text());
  EXPECT_EQ(line["b"].get<std::string>().size(), 1023U);
  EXPECT_EQ(line["f"].get<std::string>().size(), 1024U);
}

}  // namespace
}  // namespace mcph
