#include "telemetry/stderr_log.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <fcntl.h>
#include <optional>
#include <stdexcept>
#include <string>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/file_descriptor.hpp"
#include "support/standard_error.hpp"

namespace mcph {
namespace {

using namespace std::chrono_literals;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

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

enum class Kind { pipe, socket };

// Standard error as another program gives it to a host, which reads it or not.
class ReadByAnother {
 public:
  explicit ReadByAnother(Kind kind) : original_(::dup(STDERR_FILENO)) {
    std::array<int, 2> ends{};
    const int made = kind == Kind::pipe ? ::pipe2(ends.data(), O_CLOEXEC)
                                        : ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data());
    if (made != 0 || !original_) throw std::runtime_error("standard error cannot be replaced");
    reader_ = FileDescriptor(ends[0]);
    ::dup2(ends[1], STDERR_FILENO);
    ::close(ends[1]);
  }
  ~ReadByAnother() { end(); }
  ReadByAnother(const ReadByAnother&) = delete;
  ReadByAnother& operator=(const ReadByAnother&) = delete;

  // What has been written and not been read.
  std::string read() const {
    ::fcntl(reader_.get(), F_SETFL, O_NONBLOCK);
    return read_to_end();
  }
  // All that is written until the end.
  std::string read_to_end() const {
    std::string text;
    char block[4096];
    for (ssize_t count = 0; (count = ::read(reader_.get(), block, sizeof block)) > 0;)
      text.append(block, static_cast<std::size_t>(count));
    return text;
  }
  // Nothing is written any more.
  void end() const { ::dup2(original_.get(), STDERR_FILENO); }

 private:
  const FileDescriptor original_;
  FileDescriptor reader_;
};

std::ptrdiff_t lines_in(const std::string& text) {
  return std::ranges::count(text, '\n');
}

constexpr auto told_as_lost = " warning lines lost lines=";

TEST(Log, LosesWhatNobodyReadsAndSaysHowManyLinesThatAre) {
  constexpr int lines = 4000;
  for (const auto kind : {Kind::pipe, Kind::socket}) {
    const ReadByAnother reader(kind);
    StderrLog log(Log::Level::info, StderrLog::Format::text, {}, 0ms);
    for (int i = 0; i < lines; ++i)
      log.info("said", {{"text", std::string(100, 'x')}});
    const auto before = reader.read();
    EXPECT_THAT(before, Not(HasSubstr(told_as_lost)));
    EXPECT_THAT(before, EndsWith("x\n"));
    log.info("read");
    log.info("again");
    const auto after = reader.read();
    EXPECT_THAT(after, HasSubstr(told_as_lost + std::to_string(lines - lines_in(before)) + " reason="));
    EXPECT_EQ(lines_in(after), 3);
    EXPECT_THAT(after, EndsWith(" info    again\n"));
  }
}

// A pipe that has room for some of a line may have none for all of it.
TEST(Log, LosesTheRestOfALineThatIsTooLongForAPipe) {
  const ReadByAnother reader(Kind::pipe);
  StderrLog log(Log::Level::info, StderrLog::Format::json, {}, 0ms);
  log.info("said", {{"text", std::string(1 << 20, 'x')}});
  EXPECT_THAT(reader.read(), EndsWith("xxx"));
  log.info("read");
  const auto text = reader.read();
  EXPECT_THAT(text, StartsWith("\n{")) << "the line that was cut off is none of those that follow";
  const auto lost = nlohmann::json::parse(text.substr(0, text.find('\n', 1)));
  EXPECT_EQ(lost["level"], "warning");
  EXPECT_EQ(lost["event"], "lines lost");
  EXPECT_EQ(lost["lines"], 1);
  EXPECT_THAT(text, HasSubstr("}\n{"));
}

TEST(Log, SaysAtItsEndWhatHasBeenLost) {
  const ReadByAnother reader(Kind::pipe);
  std::optional<StderrLog> log(std::in_place, Log::Level::info, StderrLog::Format::text, "", 0ms);
  log->info("said", {{"text", std::string(1 << 20, 'x')}});
  reader.read();
  log.reset();
  EXPECT_THAT(reader.read(), HasSubstr(told_as_lost));
}

TEST(Log, OfACommandWaitsForItsReader) {
  constexpr int lines = 4000;
  const ReadByAnother reader(Kind::pipe);
  std::string text;
  std::thread other([&] { text = reader.read_to_end(); });
  {
    StderrLog log(Log::Level::info, StderrLog::Format::text);
    for (int i = 0; i < lines; ++i)
      log.info("said", {{"text", std::string(100, 'x')}});
  }
  reader.end();
  other.join();
  EXPECT_EQ(lines_in(text), lines);
}

}  // namespace
}  // namespace mcph
