// What is asked in vain, and traces. That it does what is asked, and what status says, is tested with whole hosts
// (tests/integration/operator.test.mjs).
#include "admin/operator_answers.hpp"

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/json.hpp"
#include "base/json_text.hpp"
#include "support/eventually.hpp"
#include "support/source_on_disk.hpp"
#include "support/temporary_folder.hpp"
#include "support/test_workers.hpp"
#include "support/thread_executor.hpp"
#include "telemetry/stderr_log.hpp"
#include "telemetry/watched_log.hpp"

namespace mcph {
namespace {

using namespace std::chrono_literals;
using ::testing::ContainsRegex;
using ::testing::EndsWith;
using ::testing::HasSubstr;

// Reads what it is told, and waits until it has been told so many lines.
class Reader final : public ControlServer::Asker {
 public:
  explicit Reader(std::size_t most = 0) : most_(most) {}
  Result<> tell(std::string line) override {
    told.push_back(std::move(line));
    if (heard) heard(told.size());
    return {};
  }
  bool waits() const override { return told.size() < most_; }

  std::vector<std::string> told;
  std::function<void(std::size_t count)> heard;

 private:
  const std::size_t most_;
};

class OperatorAnswersTest : public ::testing::Test {
 protected:
  OperatorAnswersTest() {
    std::filesystem::create_directory(temporary_.path() / "components");
    source_->load_all(1min);
    source_->run();
  }
  ~OperatorAnswersTest() override { EXPECT_TRUE(source_->stop(test::patience)); }

  std::string ask(std::string_view request) const {
    Reader reader;
    return answers_.answer(request, reader);
  }

  const test::TemporaryFolder temporary_;
  StderrLog log_{Log::Level::off, StderrLog::Format::text};
  test::ThreadExecutor executor_;
  test::TestWorkers workers_;
  Reaper reaper_{10s, log_};
  PluginLoader loader_{*PrivateFolder::create({temporary_.path()}), {}, executor_, workers_.workers, reaper_, log_};
  PublishedCatalog catalog_;
  test::SourceOnDisk source_{{.root = temporary_.path() / "components"}, {}, {}, loader_, catalog_, log_};
  WatchedLog watched_{log_};
  const OperatorAnswers answers_{
      {.version = "1.2.3", .command = "serve", .url = "http://127.0.0.1:1/mcp", .components = "/components"},
      source_->operator_service(),
      watched_};
};

TEST_F(OperatorAnswersTest, RefusesWhatIsNoRequest) {
  constexpr auto commands =
      R"({"error":"\"command\" is not one of status, components, trace, log, reload, disable, enable, dashboard"})";
  EXPECT_TRUE(ask("GET / HTTP/1.1").starts_with(R"({"error":"the request is no JSON: )"));
  EXPECT_TRUE(ask("").starts_with(R"({"error":"the request is no JSON: )"));
  EXPECT_TRUE(ask(R"({"command":"status","command":"reload"})").starts_with(R"({"error":)"));
  EXPECT_EQ(ask("[]"), commands);
  EXPECT_EQ(ask("7"), commands);
  EXPECT_EQ(ask(R"({"command":7})"), commands);
  EXPECT_EQ(ask(R"({"command":"stop"})"), commands);
}

TEST_F(OperatorAnswersTest, AsksWhichPlugin) {
  constexpr auto which = R"({"error":"\"plugin\" is not the name of one"})";
  EXPECT_EQ(ask(R"({"command":"disable"})"), which);
  EXPECT_EQ(ask(R"({"command":"enable","plugin":""})"), which);
  EXPECT_EQ(ask(R"({"command":"reload","plugin":7})"), which);
  EXPECT_EQ(ask(R"({"command":"reload","plugin":"clock"})"),
            R"({"error":"no plugin or upstream is called \"clock\"; there is none"})");
  EXPECT_EQ(ask(R"({"command":"trace","plugin":"clock"})"),
            R"({"error":"no plugin or upstream that is served is called \"clock\"; there is none"})");
}

TEST_F(OperatorAnswersTest, TakesNoComponentThatHasNoNameForTheWholePlugin) {
  for (const std::string component : {R"("")", "null", "7", R"(["add"])", R"({"name":"add"})"}) {
    for (const std::string command : {"disable", "enable", "reload"})
      EXPECT_EQ(ask(R"({"command":")" + command + R"(","plugin":"sums","component":)" + component + "}"),
                R"({"error":"\"component\" is not the name of one"})")
          << command << " " << component;
  }
}

TEST_F(OperatorAnswersTest, HasAnAnswerWithoutPlugins) {
  EXPECT_EQ(ask(R"({"command":"reload"})"), R"({"ok":true,"plugins":[]})");
  EXPECT_TRUE(ask(R"({"command":"status"})").starts_with(R"({"ok":true,"host":{"pid":)"));
  EXPECT_THAT(ask(R"({"command":"status"})"),
              ContainsRegex(R"("state":"ready","upSeconds":[0-9]+,"url":"http://127\.0\.0\.1:1/mcp"\},)"
                            R"("plugins":\[\],"problems":\[\]\}$)"));
}

TEST_F(OperatorAnswersTest, SaysWhyTheHostIsNotReady) {
  std::optional<NotReady> not_ready = NotReady{"stopping", false};
  const OperatorAnswers answers({.version = "1.2.3",
                                 .command = "serve",
                                 .url = {},
                                 .components = "/components",
                                 .not_ready = [&] { return not_ready; }},
                                source_->operator_service(), watched_);
  EXPECT_EQ(answers.status_json()["host"]["state"], "stopping");
  EXPECT_EQ(answers.status_json()["ok"], true);
  not_ready = NotReady{"the audit log cannot be written"};
  EXPECT_EQ(answers.status_json()["host"]["state"], "the audit log cannot be written");
  EXPECT_EQ(answers.status_json()["ok"], false);
  not_ready.reset();
  EXPECT_EQ(answers.status_json()["host"]["state"], "ready");
}

TEST_F(OperatorAnswersTest, SaysWhatIsAmissThatTheHostCannotSee) {
  std::string problem = "not built";
  const OperatorAnswers answers({.version = "1.2.3",
                                 .command = "serve",
                                 .url = {},
                                 .components = "/components",
                                 .problem = [&] { return problem; }},
                                source_->operator_service(), watched_);
  EXPECT_EQ(answers.status_json()["problems"].dump(), R"([{"path":"/components","reason":"not built"}])");
  EXPECT_EQ(answers.status_json()["ok"], false);
  problem.clear();
  EXPECT_EQ(answers.status_json()["problems"].dump(), "[]");
  EXPECT_EQ(answers.status_json()["ok"], true);
}

TEST_F(OperatorAnswersTest, TellsWhatHasBecomeOfTheConfiguration) {
  ConfigurationReport report{.refusal = {}, .need_restart = {"http.listen"}};
  const OperatorAnswers answers({}, source_->operator_service(), watched_, {}, [&] { return report; });
  auto status = parse_json(answers.status());
  EXPECT_EQ((*status)["ok"], true);
  EXPECT_EQ((*status)["configuration"].dump(), R"({"needRestart":["http.listen"],"taken":true})");
  report.refusal = "team.toml:4:10: no";
  status = parse_json(answers.status());
  EXPECT_EQ((*status)["ok"], false);
  EXPECT_EQ((*status)["configuration"].dump(),
            R"({"needRestart":["http.listen"],"reason":"team.toml:4:10: no","taken":false})");
}

TEST_F(OperatorAnswersTest, NobodyWaitsForASourceThatHasStopped) {
  ASSERT_TRUE(source_->stop(test::patience));
  EXPECT_EQ(ask(R"({"command":"reload"})"), R"({"error":"the host is stopping"})");
  EXPECT_TRUE(ask(R"({"command":"status"})").starts_with(R"({"ok":true,)"));
}

TEST_F(OperatorAnswersTest, TellsWhatIsSaidInCalls) {
  Reader reader(5);
  reader.heard = [this](std::size_t count) {
    if (count != 1) return;
    watched_.trace("call", {{"component", "add"}, {"plugin", "sums"}, {"ms", 2}, {"params", "{}"}});
    watched_.trace("call", {{"component", "multiply"}, {"plugin", "sums"}});
    watched_.trace("call", {{"component", "add"}, {"plugin", "others"}});
    watched_.info("plugin output", {{"plugin", "sums"}, {"text", "adding"}});
    watched_.info("serving", {{"url", "http://127.0.0.1:1/mcp"}});
    watched_.trace("call", {{"component", "add"}, {"plugin", "sums"}, {"outcome", "ok"}});
  };
  EXPECT_EQ(answers_.answer(R"({"command":"trace"})", reader), R"({"ok":true})");
  ASSERT_EQ(reader.told.size(), 6U) << "what is there when it ends is told, too";
  EXPECT_EQ(reader.told[0], R"({"tracing":true})");
  EXPECT_THAT(reader.told[1], EndsWith(R"("event":"call","component":"add","plugin":"sums","ms":2,"params":"{}"})"));
  EXPECT_THAT(reader.told[2], HasSubstr(R"("component":"multiply")"));
  EXPECT_THAT(reader.told[3], HasSubstr(R"("plugin":"others")"));
  EXPECT_THAT(reader.told[4], EndsWith(R"("event":"plugin output","plugin":"sums","text":"adding"})"));
  EXPECT_THAT(reader.told[5], EndsWith(R"("plugin":"sums","outcome":"ok"})"));

  Reader of_tool(3);
  of_tool.heard = reader.heard;
  answers_.answer(R"({"command":"trace","component":"add"})", of_tool);
  EXPECT_THAT(of_tool.told.at(2), HasSubstr(R"("plugin":"others")"));
}

TEST_F(OperatorAnswersTest, TellsWhatTheLogSays) {
  Reader reader(3);
  reader.heard = [this](std::size_t count) {
    if (count != 1) return;
    watched_.debug("looked", {{"plugin", "sums"}});
    watched_.info("plugin loaded", {{"plugin", "sums"}});
    watched_.info("serving");
    watched_.warning("plugin refused", {{"file", "/components/tools/sums.so"}, {"reason", "no"}});
  };
  answers_.answer(R"({"command":"log","plugin":"sums"})", reader);
  ASSERT_EQ(reader.told.size(), 3U);
  EXPECT_EQ(reader.told[0], R"({"logging":true,"remark":"no plugin or upstream is called \"sums\"; there is none"})");
  EXPECT_THAT(reader.told[1], HasSubstr(R"("level":"info","event":"plugin loaded","plugin":"sums")"));
  EXPECT_THAT(reader.told[2], HasSubstr(R"("level":"warning","event":"plugin refused")"));
  EXPECT_EQ(ask(R"({"command":"log","level":"loud"})"),
            R"({"error":"\"level\" is not one of trace, debug, info, warning, error"})");
}

}  // namespace
}  // namespace mcph
