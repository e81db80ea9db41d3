#include "transport/streamable_http/reply_response.hpp"

#include <chrono>

#include <gtest/gtest.h>

#include "support/response_text.hpp"

namespace mcph {
namespace {

TEST(ReplyResponse, SaysWhatBecameOfAMessage) {
  const auto status_of = [](ReplyStatus status) { return to_response(Reply{"{}", status}).status; };
  EXPECT_EQ(status_of(ReplyStatus::answered), 200U);
  EXPECT_EQ(status_of(ReplyStatus::accepted), 202U);
  EXPECT_EQ(status_of(ReplyStatus::ended), 204U);
  EXPECT_EQ(status_of(ReplyStatus::invalid), 400U);
  EXPECT_EQ(status_of(ReplyStatus::not_found), 404U);
  EXPECT_EQ(status_of(ReplyStatus::not_offered), 405U);
  EXPECT_EQ(status_of(ReplyStatus::too_long), 413U);
  EXPECT_EQ(status_of(ReplyStatus::unavailable), 503U);
}

TEST(ReplyResponse, SaysWhichMethodsThereAreInsteadAndWhenToComeAgain) {
  EXPECT_EQ(to_response(Reply{"{}", ReplyStatus::not_offered}).fields,
            (ResponseFields{{"Allow", "POST, OPTIONS, HEAD"}}));
  EXPECT_EQ(to_response(Reply{"{}", ReplyStatus::unavailable}).fields, (ResponseFields{{"Retry-After", "1"}}));
}

TEST(ReplyResponse, NamesTheSessionThatItOpens) {
  const std::chrono::system_clock::time_point expiry{std::chrono::seconds(1'767'225'600)};
  EXPECT_EQ(test::response_text({}, to_response(Reply{"{}", ReplyStatus::answered, OpenedSession{"x", expiry}})),
            "HTTP/1.1 200 OK\r\n"
            "Date: Thu, 01 Jan 1970 00:00:00 GMT\r\n"
            "Mcp-Session-Id: x\r\n"
            "X-Session-Expires-At: 2026-01-01T00:00:00Z\r\n"
            "Content-Type: application/json\r\n"
            "Content-Length: 2\r\n"
            "\r\n"
            "{}");
}

TEST(RefusalResponse, IsAnErrorOfNoRequestInParticular) {
  const auto response = to_response(HttpRefusal{405, "No", {{"Allow", "POST"}}});
  EXPECT_EQ(response.status, 405U);
  EXPECT_EQ(response.body, R"({"jsonrpc":"2.0","error":{"code":-32600,"message":"No"}})");
  EXPECT_EQ(response.fields, (ResponseFields{{"Allow", "POST"}}));
}

TEST(RefusalResponse, IsAnInternalErrorWhereTheServerCannotAnswerNow) {
  EXPECT_EQ(to_response(HttpRefusal{503, "Later"}).body,
            R"({"jsonrpc":"2.0","error":{"code":-32603,"message":"Later"}})");
}

}  // namespace
}  // namespace mcph
