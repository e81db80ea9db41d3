// What is asked in vain. That it does what is asked, and what status says, is tested with whole hosts
// (tests/integration/operator.test.mjs).
#include "admin/operator_answers.hpp"

#include <string>

#include <gtest/gtest.h>

#include "base/json.hpp"
#include "base/json_text.hpp"
#include "support/eventually.hpp"
#include "support/source_on_disk.hpp"
#include "support/temporary_folder.hpp"
#include "support/test_workers.hpp"
#include "support/thread_executor.hpp"
#include "telemetry/stderr_log.hpp"

namespace mcph {
namespace {

using namespace std::chrono_literals;

class OperatorAnswersTest : public ::testing::Test {
 protected:
  OperatorAnswersTest() {
    std::filesystem::create_directory(temporary_.path() / "components");
    source_->load_all(1min);
    source_->run();
  }
  ~OperatorAnswersTest() override { EXPECT_TRUE(source_->stop(test::patience)); }

  const test::TemporaryFolder temporary_;
  StderrLog log_{Log::Level::off, StderrLog::Format::text};
  test::ThreadExecutor executor_;
  test::TestWorkers workers_;
  Reaper reaper_{10s, log_};
  PluginLoader loader_{*PrivateFolder::create({temporary_.path()}), {}, executor_, workers_.workers, reaper_, log_};
  PublishedCatalog catalog_;
  test::SourceOnDisk source_{{.root = temporary_.path() / "components"}, {}, {}, loader_, catalog_, log_};
  const OperatorAnswers answers_{
      {.version = "1.2.3", .command = "serve", .url = "http://127.0.0.1:1/mcp", .components = "/components"},
      source_->operator_service()};
};

TEST_F(OperatorAnswersTest, RefusesWhatIsNoRequest) {
  constexpr auto commands = R"({"error":"\"command\" is not one of status, reload, disable, enable"})";
  EXPECT_TRUE(answers_.answer("GET / HTTP/1.1").starts_with(R"({"error":"the request is no JSON: )"));
  EXPECT_TRUE(answers_.answer("").starts_with(R"({"error":"the request is no JSON: )"));
  EXPECT_TRUE(answers_.answer(R"({"command":"status","command":"reload"})").starts_with(R"({"error":)"));
  EXPECT_EQ(answers_.answer("[]"), commands);
  EXPECT_EQ(answers_.answer("7"), commands);
  EXPECT_EQ(answers_.answer(R"({"command":7})"), commands);
  EXPECT_EQ(answers_.answer(R"({"command":"stop"})"), commands);
}

TEST_F(OperatorAnswersTest, AsksWhichPlugin) {
  constexpr auto which = R"({"error":"\"plugin\" is not the name of one"})";
  EXPECT_EQ(answers_.answer(R"({"command":"disable"})"), which);
  EXPECT_EQ(answers_.answer(R"({"command":"enable","plugin":""})"), which);
  EXPECT_EQ(answers_.answer(R"({"command":"reload","plugin":7})"), which);
  EXPECT_EQ(answers_.answer(R"({"command":"reload","plugin":"clock"})"),
            R"({"error":"no plugin is called \"clock\"; there is none"})");
}

TEST_F(OperatorAnswersTest, HasAnAnswerWithoutPlugins) {
  EXPECT_EQ(answers_.answer(R"({"command":"reload"})"), R"({"ok":true,"plugins":[]})");
  EXPECT_TRUE(answers_.answer(R"({"command":"status"})").starts_with(R"({"ok":true,"host":{"pid":)"));
  EXPECT_TRUE(answers_.answer(R"({"command":"status"})")
                  .ends_with(R"("upSeconds":0,"url":"http://127.0.0.1:1/mcp"},"plugins":[],"problems":[]})"));
}

TEST_F(OperatorAnswersTest, TellsWhatHasBecomeOfTheConfiguration) {
  ConfigurationReport report{.refusal = {}, .need_restart = {"http.listen"}};
  const OperatorAnswers answers({}, source_->operator_service(), {}, [&] { return report; });
  auto status = parse_json(answers.answer(R"({"command":"status"})"));
  EXPECT_EQ((*status)["ok"], true);
  EXPECT_EQ((*status)["configuration"].dump(), R"({"needRestart":["http.listen"],"taken":true})");
  report.refusal = "team.toml:4:10: no";
  status = parse_json(answers.answer(R"({"command":"status"})"));
  EXPECT_EQ((*status)["ok"], false);
  EXPECT_EQ((*status)["configuration"].dump(),
            R"({"needRestart":["http.listen"],"reason":"team.toml:4:10: no","taken":false})");
}

TEST_F(OperatorAnswersTest, NobodyWaitsForASourceThatHasStopped) {
  ASSERT_TRUE(source_->stop(test::patience));
  EXPECT_EQ(answers_.answer(R"({"command":"reload"})"), R"({"error":"the host is stopping"})");
  EXPECT_TRUE(answers_.answer(R"({"command":"status"})").starts_with(R"({"ok":true,)"));
}

}  // namespace
}  // namespace mcph
