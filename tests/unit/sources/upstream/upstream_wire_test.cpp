#include "sources/upstream/upstream_wire.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/json_text.hpp"

namespace mcph {
namespace {

using from_upstream::answered_request;
using ::testing::HasSubstr;

const UpstreamPeer legacy{.revision = "2025-06-18"};
const UpstreamPeer modern{.is_modern = true, .revision = "2026-07-28"};

Error mistake_in(std::string_view text) {
  const auto read = from_upstream::read(text);
  return read.has_error() ? read.error() : fail("none");
}

TEST(UpstreamWireTest, ALegacyRequestSaysNothingOfTheHost) {
  const auto message =
      request_to(legacy, 7, "tools/call", {{"name", "add"}}, {.wants_progress = true, .wants_log = true});
  EXPECT_EQ(Json::parse(message.text), Json::parse(R"({"jsonrpc":"2.0","id":7,"method":"tools/call",
    "params":{"name":"add","_meta":{"progressToken":7}}})"));
  EXPECT_EQ(message.id, "7");
  EXPECT_EQ(message.name, "add");
  EXPECT_EQ(message.revision, "2025-06-18");
}

TEST(UpstreamWireTest, AModernRequestSaysWhoAsksAndWhatTheClientCan) {
  const auto message =
      request_to(modern, 8, "resources/read", {{"uri", "a:b"}}, {.capabilities = {{"roots", Json::object()}}});
  const auto meta = Json::parse(message.text)["params"]["_meta"];
  EXPECT_EQ(meta["io.modelcontextprotocol/protocolVersion"], "2026-07-28");
  EXPECT_EQ(meta["io.modelcontextprotocol/clientInfo"]["name"], "mcp-plugin-host");
  EXPECT_EQ(dump(meta["io.modelcontextprotocol/clientCapabilities"]), R"({"roots":{}})");
  EXPECT_EQ(message.name, "a:b");
  EXPECT_TRUE(message.is_modern);
}

TEST(UpstreamWireTest, OfAClientsOwnMetaThatOfTheHostIsNotPassedOn) {
  const Json context = {{"meta",
                         {{"progressToken", 3},
                          {"io.modelcontextprotocol/clientInfo", "secret"},
                          {"mcp-plugin-host/unexpected", true},
                          {"theirs", 1}}},
                        {"trace", {{"traceparent", "00-1-2-01"}}}};
  EXPECT_EQ(dump(passed_on_meta(context)), R"({"theirs":1,"traceparent":"00-1-2-01"})");
}

TEST(UpstreamWireTest, OfAResultWhatIsBetweenTheTwoIsTakenOut) {
  const auto result = without_envelope(Json::parse(
      R"({"resultType":"complete","content":[],"_meta":{"io.modelcontextprotocol/serverInfo":{},"mcp-plugin-host/unexpected":true}})"));
  EXPECT_EQ(dump(result), R"({"content":[]})");
}

TEST(UpstreamWireTest, ReadsAnswersNotificationsAndRequests) {
  const auto answer = from_upstream::read(R"({"jsonrpc":"2.0","id":3,"result":{"a":1}})");
  EXPECT_EQ(std::get<from_upstream::Answer>(*answer).id, 3U);
  const auto failed = from_upstream::read(R"({"id":3,"error":{"code":-32000,"message":"no"}})");
  EXPECT_EQ(std::get<UpstreamError>(std::get<from_upstream::Answer>(*failed).outcome).message, "no");
  const auto said = from_upstream::read(R"({"method":"notifications/message"})");
  EXPECT_EQ(std::get<from_upstream::Notification>(*said).method, "notifications/message");
  const auto asked = from_upstream::read(R"({"id":"x","method":"roots/list"})");
  EXPECT_EQ(std::get<from_upstream::Request>(*asked).id, "x");
}

TEST(UpstreamWireTest, SaysWhatIsWrongWithWhatComes) {
  EXPECT_THAT(mistake_in("listening on port 80").message, HasSubstr("is no JSON"));
  EXPECT_THAT(mistake_in("[1]").message, HasSubstr("is no JSON object"));
  EXPECT_THAT(mistake_in(R"({"id":"word","result":{}})").message, HasSubstr("the host has not made"));
  EXPECT_THAT(mistake_in(R"({"id":1,"result":{},"error":{}})").message, HasSubstr("both a result and an error"));
  EXPECT_THAT(mistake_in(R"({"id":1,"result":7})").message, HasSubstr("no object"));
  EXPECT_THAT(mistake_in(R"({"id":1,"error":{"code":"x"}})").message, HasSubstr("without a code and a message"));
  EXPECT_THAT(mistake_in(R"({"id":[],"method":"x"})").message, HasSubstr("neither a string nor a whole number"));
}

TEST(UpstreamWireTest, TellsWhoseAnAnswerIsThatIsTooLongOrBroken) {
  EXPECT_EQ(answered_request(R"({"jsonrpc":"2.0","id":5,"result":{"x)", "xxx\"}}"), 5U);
  EXPECT_EQ(answered_request(R"({"jsonrpc":"2.0","id":5,"error":{"x)", "xxx\"}}"), 5U);
  EXPECT_EQ(answered_request(R"({"result":{"x)", R"(xxx"},"jsonrpc":"2.0","id":12})"), 12U);
  // An id within the answer, and a request.
  EXPECT_EQ(answered_request(R"({"result":{"x)", R"(xxx","id":12}})"), std::nullopt);
  EXPECT_EQ(answered_request(R"({"jsonrpc":"2.0","id":5,"method":"x","params":{"result")", "xxx\"}}"), std::nullopt);
}

}  // namespace
}  // namespace mcph
