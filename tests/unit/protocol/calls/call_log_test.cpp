// What the log hears of requests that come to no plugin. Of those that do: plugin_call_test.cpp.
#include "protocol/calls/call_log.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/server_fixture.hpp"

namespace mcph {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class CallLogTest : public test::ServerFixture {
 protected:
  CallLogTest() { log_.set_level(Log::Level::debug); }
};

TEST_F(CallLogTest, HearsWhyARequestOfAnyEraCameToNoPlugin) {
  post_modern("tools/call", R"("name":"absent",)", "absent");
  post_modern("tools/call", R"("name":"add","arguments":{"a":"1"},)", "add");
  post_modern("resources/read", R"("uri":"other://all",)", "other://all");
  const auto session = open_session("2025-11-25");
  const auto head = in_session(session);
  post(test::request("7", "prompts/get", R"({"name":"review"})"), head);
  post(test::request("8", "completion/complete",
                     R"({"ref":{"type":"ref/prompt","name":"absent"},"argument":{"name":"a","value":""}})"),
       head);
  EXPECT_THAT(
      log_.lines(),
      ElementsAre(
          "call method=tools/call component=absent outcome=refused error=Unknown tool: absent",
          "call method=tools/call component=add outcome=refused error=Invalid arguments for tool add: \"a\" "
          "must be a number, but is \"1\"",
          "call method=resources/read component=other://all outcome=refused error=Resource not found: other://all",
          "call method=prompts/get component=review outcome=refused error=Prompt review needs the argument "
          "\"code\"",
          "call method=completion/complete component=absent outcome=refused error=Unknown prompt: absent"));
}

TEST_F(CallLogTest, CutsWhatIsLong) {
  const std::string name(1000, 'n');
  post_modern("tools/call", R"("name":")" + name + R"(",)", name);
  EXPECT_THAT(log_.lines(), ElementsAre("call method=tools/call component=" + std::string(200, 'n') +
                                        " outcome=refused error=Unknown tool: " + std::string(486, 'n')));
}

TEST_F(CallLogTest, HearsNothingAtInfo) {
  log_.set_level(Log::Level::info);
  post_modern("tools/call", R"("name":"absent",)", "absent");
  EXPECT_THAT(log_.lines(), IsEmpty());
}

}  // namespace
}  // namespace mcph
