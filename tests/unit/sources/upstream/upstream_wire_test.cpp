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

Error error_in(std::string_view text) {
  const auto read = from_upstream::read(text);
  return read.has_error() ? read.error() : fail("none");
}

TEST(UpstreamWireTest, ALegacyRequestSaysNothingOfTheHost) {
  const auto message =
      request_to(legacy, 7, Method::tools_call, R"("name":"add")", {.wants_progress = true, .wants_log = true});
  EXPECT_EQ(Json::parse(message.text), Json::parse(R"({"jsonrpc":"2.0","id":7,"method":"tools/call",
    "params":{"name":"add","_meta":{"progressToken":7}}})"));
  EXPECT_EQ(message.id, "7");
  EXPECT_EQ(message.revision, "2025-06-18");
}

TEST(UpstreamWireTest, AModernRequestSaysWhoAsksAndWhatTheClientCan) {
  const auto message = request_to(modern, 8, Method::resources_read, R"("uri":"a:b")",
                                  {.own = R"("theirs":1)", .capabilities = R"({"roots":{}})"});
  const auto params = Json::parse(message.text)["params"];
  EXPECT_EQ(params["uri"], "a:b");
  const auto& meta = params["_meta"];
  EXPECT_EQ(meta["theirs"], 1);
  EXPECT_EQ(meta["io.modelcontextprotocol/protocolVersion"], "2026-07-28");
  EXPECT_EQ(meta["io.modelcontextprotocol/clientInfo"]["name"], "mcp-plugin-host");
  EXPECT_EQ(dump(meta["io.modelcontextprotocol/clientCapabilities"]), R"({"roots":{}})");
  EXPECT_TRUE(message.is_modern);
}

TEST(UpstreamWireTest, OfAClientsOwnMetaThatOfTheHostIsNotPassedOn) {
  EXPECT_EQ(passed_on_meta(R"({"meta":{"progressToken":3,"io.modelcontextprotocol/clientInfo":"secret",)"
                           R"("mcp-plugin-host/unexpected":true,"theirs":1,"traceparent":"old"},)"
                           R"("trace":{"traceparent":"00-1-2-01"}})"),
            R"("traceparent":"00-1-2-01","theirs":1)");
  // What is no trace context is not sent as one.
  EXPECT_EQ(passed_on_meta(R"({"meta":{"traceparent":"garbage","tracestate":"x","baggage":"y","theirs":1}})"),
            R"("theirs":1)");
  EXPECT_EQ(passed_on_meta("{}"), "");
}

TEST(UpstreamWireTest, ARequestWithoutParamsHasNone) {
  EXPECT_EQ(request_to(legacy, 7, Method::ping, {}).text, R"({"jsonrpc":"2.0","id":7,"method":"ping"})");
}

TEST(UpstreamWireTest, OfAResultWhatIsBetweenTheTwoIsTakenOut) {
  constexpr auto between = R"("io.modelcontextprotocol/serverInfo":{},"mcp-plugin-host/unexpected":true)";
  const auto meta = [&](std::string_view theirs) { return "\"_meta\":{" + std::string(theirs) + between + "}"; };
  EXPECT_EQ(without_envelope(R"({"resultType":"complete","content":[],)" + meta("") + "}"), R"({"content":[]})");
  EXPECT_EQ(without_envelope("{" + meta("\"theirs\":1,") + R"(, "b" : 1,"a":2})"),
            R"({"_meta":{"theirs":1},"b":1,"a":2})");
  // However its keys are written.
  EXPECT_EQ(without_envelope(R"({"result\u0054ype":"complete","content":[]})"), R"({"content":[]})");
  EXPECT_EQ(without_envelope(R"({"_meta":{"mcp\u002dplugin-host/unexpected":true},"content":[]})"),
            R"({"content":[]})");
  EXPECT_EQ(without_envelope("{\"content\":"), "{\"content\":");
}

TEST(UpstreamWireTest, IgnoresANegativeTimeToLive) {
  EXPECT_EQ(without_envelope(R"({"contents":[],"ttlMs":-1})"), R"({"contents":[]})");
  EXPECT_EQ(without_envelope(R"({"contents":[],"result\u0054ype":"complete","ttlMs":-1})"), R"({"contents":[]})");
  EXPECT_EQ(without_envelope(R"({"contents":[],"ttlMs":5})"), R"({"contents":[],"ttlMs":5})");
}

TEST(UpstreamWireTest, TellsAResultThatAsksFromOneThatIsComplete) {
  EXPECT_EQ(result_type_of(R"({"inputRequests":{},"resultType":"input_required"})"), "input_required");
  EXPECT_EQ(result_type_of(R"({"content":[{"resultType":"input_required"}],"resultType":"complete"})"), "complete");
  EXPECT_EQ(result_type_of("{}"), "complete");
  EXPECT_EQ(result_type_of(R"({"resultType":7})"), "7");
}

TEST(UpstreamWireTest, RepeatsWholeNumbersInDigits) {
  const std::vector<ParameterHeader> headers{{"Mcp-Param-N", {"n"}}};
  const auto field = [&](const char* number) {
    const auto fields = parameter_fields(headers, Json::parse(R"({"n":)" + std::string(number) + "}"));
    return fields.has_value() ? (*fields)[0].second : fields.error().message;
  };
  EXPECT_EQ(field("42"), "42");
  EXPECT_EQ(field("42.0"), "42");
  EXPECT_EQ(field("1e3"), "1000");
  EXPECT_EQ(field("-9007199254740991"), "-9007199254740991");
  EXPECT_EQ(field("true"), "true");
  for (const auto* const large : {"1e20", "9007199254740993", "-9007199254740992"})
    EXPECT_THAT(field(large), ::testing::HasSubstr("too large to be repeated in Mcp-Param-N"));
}

TEST(UpstreamWireTest, ReadsAnswersNotificationsAndRequests) {
  const auto answer = from_upstream::read(R"({"jsonrpc":"2.0","id":3,"result":{"a":1}})");
  EXPECT_EQ(std::get<from_upstream::Answer>(*answer).id, 3U);
  EXPECT_EQ(std::get<std::string>(std::get<from_upstream::Answer>(*answer).outcome), R"({"a":1})");
  const auto failed = from_upstream::read(R"({"id":3,"error":{"code":-32000,"message":"no"}})");
  EXPECT_EQ(std::get<UpstreamError>(std::get<from_upstream::Answer>(*failed).outcome).message, "no");
  const auto said = from_upstream::read(R"({"method":"notifications/message"})");
  EXPECT_EQ(std::get<from_upstream::Notification>(*said).method, "notifications/message");
  const auto asked = from_upstream::read(R"({"id":"x","method":"roots/list"})");
  EXPECT_EQ(std::get<from_upstream::Request>(*asked).id, "x");
}

TEST(UpstreamWireTest, SaysWhatIsWrongWithWhatComes) {
  EXPECT_THAT(error_in("listening on port 80").message, HasSubstr("is no JSON"));
  EXPECT_THAT(error_in("[1]").message, HasSubstr("is no JSON object"));
  EXPECT_THAT(error_in(R"({"id":"word","result":{}})").message, HasSubstr("the host has not made"));
  EXPECT_THAT(error_in(R"({"id":1,"result":{},"error":{}})").message, HasSubstr("both a result and an error"));
  EXPECT_THAT(error_in(R"({"id":1,"result":7})").message, HasSubstr("no object"));
  EXPECT_THAT(error_in(R"({"id":1,"error":{"code":"x"}})").message, HasSubstr("without a code and a message"));
  EXPECT_THAT(error_in(R"({"id":[],"method":"x"})").message, HasSubstr("neither a string nor a whole number"));
}

TEST(UpstreamWireTest, ReadsNoTreeThatIsTooLarge) {
  const auto notification = [](const std::string& data) {
    return R"({"method":"notifications/message","params":{"data":)" + data + "}}";
  };
  constexpr std::size_t long_size = std::size_t{2} << 20;
  EXPECT_TRUE(from_upstream::read(notification('"' + std::string(long_size, 'x') + '"')).has_value());
  std::string zeros = "[0";
  while (zeros.size() < long_size)
    zeros += ",0";
  EXPECT_THAT(error_in(notification(zeros + "]")).message, HasSubstr("has more in it than is read"));
  EXPECT_TRUE(from_upstream::read(R"({"id":1,"result":{"x":)" + zeros + "]}}").has_value());
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
