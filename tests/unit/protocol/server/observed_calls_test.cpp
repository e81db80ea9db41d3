// What those hear who observe the requests of clients: each once, by what it asked for and how it ended.
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/server_fixture.hpp"

namespace mcph {
namespace {

using ::testing::ElementsAre;

// "METHOD COMPONENT served OUTCOME CODE VERSION", what is not so left out.
class Told : public CallObserver {
 public:
  void ended(const CallEnd& end) override {
    constexpr std::string_view outcomes[] = {"ok", "tool error", "error", "abandoned"};
    const auto& call = end.call;
    std::string line = call.method ? std::string(name_of(*call.method)) : "?" + call.unknown_method;
    if (!call.component.empty()) line += " " + call.component;
    if (call.is_served) line += " served" + (call.plugin.empty() ? "" : " by " + call.plugin);
    line.append(" ").append(outcomes[static_cast<int>(end.outcome)]);
    if (end.error_code != 0) line += " " + std::to_string(end.error_code);
    if (call.caller != nullptr) line += " " + call.caller->protocol_version;
    lines.push_back(std::move(line));
  }
  std::vector<std::string> lines;
};

struct Observer {
  Told told_;
};

class ObservedCallsTest : private Observer, public test::ServerFixture {
 protected:
  ObservedCallsTest() : ServerFixture({}, {}, &told_) {}
  std::vector<std::string> told() { return std::exchange(told_.lines, {}); }
};

TEST_F(ObservedCallsTest, OfTheModernEra) {
  post_modern("tools/call", R"("name":"add","arguments":{},)", "add");
  EXPECT_THAT(told(), ElementsAre()) << "not before its end";
  plugin_->last_call().complete(Outcome::result, R"({"content":[]})");
  const auto owner = plugin_->identity().name;
  EXPECT_THAT(told(), ElementsAre("tools/call add served by " + owner + " ok 2026-07-28"));
  post_modern("tools/call", R"("name":"add","arguments":{},)", "add");
  plugin_->last_call().complete(Outcome::result, R"({"content":[],"isError":true})");
  post_modern("tools/call", R"("name":"add","arguments":{},)", "add");
  plugin_->last_call().complete(Outcome::error, R"({"code":7,"message":"no"})");
  post_modern("tools/call", R"("name":"add","arguments":{"a":"b"},)", "add");
  post_modern("tools/call", R"("name":"add","arguments":7,)", "add");
  post_modern("tools/call", R"("name":"other",)", "other");
  post_modern("resources/read", R"("uri":"notes://none/at/all",)", "notes://none/at/all");
  post_modern("prompts/get", R"("name":"review",)", "review");
  post_modern("tools/list");
  post_modern("no/such");
  EXPECT_THAT(told(),
              ElementsAre("tools/call add served by " + owner + " tool error 2026-07-28",
                          "tools/call add served by " + owner + " error 7 2026-07-28",
                          "tools/call add served tool error 2026-07-28",
                          "tools/call add served error -32602 2026-07-28", "tools/call other error -32602 2026-07-28",
                          "resources/read notes://none/at/all error -32602 2026-07-28",
                          "prompts/get review served error -32602 2026-07-28", "tools/list ok 2026-07-28",
                          "?no/such error -32601"));
}

TEST_F(ObservedCallsTest, ByWhatTheirMethodsAskForAndNothingElse) {
  const auto owner = plugin_->identity().name;
  post_modern("tools/call", R"("name":"add","arguments":{},"ref":{"name":"forged"},)", "add");
  plugin_->last_call().complete(Outcome::result, R"({"content":[]})");
  post_modern("tools/list", R"("name":"forged","ref":{"name":"forged"},)");
  EXPECT_THAT(told(), ElementsAre("tools/call add served by " + owner + " ok 2026-07-28", "tools/list ok 2026-07-28"));
}

TEST_F(ObservedCallsTest, OfTheLegacyEra) {
  const auto session = open_session("2025-06-18");
  const auto head = in_session(session);
  post(test::request("1", "ping"), head);
  post(test::request("2", "tools/call", R"({"name":"add"})"), head);
  plugin_->last_call().complete(Outcome::result, R"({"content":[]})");
  post(test::request("3", "tools/call", R"({"name":"other"})"), head);
  post(test::request("4", "tools/list", R"({"cursor":"none"})"), head);
  post(test::request("5", "logging/setLevel", R"({"level":"none"})"), head);
  post(test::request("6", "no/such"), head);
  const auto owner = plugin_->identity().name;
  EXPECT_THAT(told(), ElementsAre("initialize ok 2025-06-18", "ping ok 2025-06-18",
                                  "tools/call add served by " + owner + " ok 2025-06-18",
                                  "tools/call other error -32602 2025-06-18", "tools/list error -32602 2025-06-18",
                                  "logging/setLevel error -32602 2025-06-18", "?no/such error -32601 2025-06-18"));
}

TEST_F(ObservedCallsTest, EachOfABatch) {
  const auto session = open_session("2025-03-26");
  told();
  post("[" + test::request("1", "ping") + "," + test::request("2", "tools/call", R"({"name":"other"})") + "]",
       in_session(session));
  EXPECT_THAT(told(), ElementsAre("ping ok 2025-03-26", "tools/call other error -32602 2025-03-26"));
}

TEST_F(ObservedCallsTest, OneThatItsClientAbandons) {
  line(test::initialize("2025-11-25"));
  line(test::request("1", "tools/call", R"({"name":"add"})"));
  line(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}})");
  const auto owner = plugin_->identity().name;
  EXPECT_THAT(told(),
              ElementsAre("initialize ok 2025-11-25", "tools/call add served by " + owner + " abandoned 2025-11-25"));
}

TEST_F(ObservedCallsTest, NothingThatIsNoRequest) {
  line("no JSON");
  line(R"({"jsonrpc":"2.0","id":1})");
  line(R"({"jsonrpc":"2.0","method":"notifications/initialized"})");
  EXPECT_THAT(told(), ElementsAre());
}

}  // namespace
}  // namespace mcph
