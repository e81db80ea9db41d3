#include "protocol/envelope_reader.hpp"

#include <algorithm>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace mcph {
namespace {

// "request 7", "notification", or "unknown": what is known of a message that comes in pieces of so many bytes.
std::string read_envelope(std::string_view message, std::size_t piece) {
  EnvelopeReader reader;
  for (; !message.empty(); message.remove_prefix(std::min(piece, message.size())))
    reader.feed(message.substr(0, piece));
  const auto [kind, id] = reader.envelope();
  if (!kind) return "unknown" + id;
  if (*kind == Message::Kind::notification) return "notification" + id;
  return (*kind == Message::Kind::request ? "request " : "response ") + id;
}

std::string read_envelope(std::string_view message) {
  auto whole = read_envelope(message, message.size() + 1);
  for (const std::size_t piece : {1U, 2U, 7U})
    EXPECT_EQ(read_envelope(message, piece), whole) << message;
  return whole;
}

TEST(EnvelopeReader, KnowsARequestWhereverItsIdStands) {
  EXPECT_EQ(read_envelope(R"({"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"a"}})"), "request 7");
  EXPECT_EQ(read_envelope(R"({"method":"tools/call","params":{"name":"a"},"jsonrpc":"2.0","id":7})"), "request 7");
  EXPECT_EQ(read_envelope(" { \"id\" : \"a\\\"b\" ,\r\n\t\"method\" : \"x\" } "), R"(request "a\"b")");
  EXPECT_EQ(read_envelope(R"({"id":-1,"method":"x"})"), "request -1");
  EXPECT_EQ(read_envelope(R"({"id":"\u0061\u00e9","method":"x"})"), "request \"a\u00e9\"");
  EXPECT_EQ(read_envelope("{\"id\":\"" + std::string(1024, 'x') + "\",\"method\":\"x\"}"),
            "request \"" + std::string(1024, 'x') + "\"");
}

TEST(EnvelopeReader, KnowsAResponseAndANotification) {
  EXPECT_EQ(read_envelope(R"({"result":{"id":8,"method":"x"},"jsonrpc":"2.0","id":7})"), "response 7");
  EXPECT_EQ(read_envelope(R"({"id":7,"error":{"code":-1}})"), "response 7");
  EXPECT_EQ(read_envelope(R"({"jsonrpc":"2.0","method":"notifications/x","params":{"id":7}})"), "notification");
}

TEST(EnvelopeReader, LooksNotIntoWhatTheMessageCarries) {
  EXPECT_EQ(read_envelope(R"({"params":{"id":1,"a":[{"id":2}],"b":"\"id\":3}]","c":"\\"},"id":7,"method":"x"})"),
            "request 7");
  EXPECT_EQ(read_envelope(R"({"a":"\"id\":3,","id":7,"method":"x","b":[],"c":{},"d":null,"e":1.5})"), "request 7");
}

TEST(EnvelopeReader, KnowsBeforeTheEnd) {
  EXPECT_EQ(read_envelope(R"({"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"text":"xx)"), "request 7");
  EXPECT_EQ(read_envelope(R"({"id":7,"result":{"con)"), "response 7");
  EnvelopeReader reader;
  reader.feed(R"({"jsonrpc":"2.0","id":7,)");
  EXPECT_FALSE(reader.knows_all());
  reader.feed(R"("method")");
  EXPECT_TRUE(reader.knows_all());
}

TEST(EnvelopeReader, KnowsANotificationAtItsEndOnly) {
  EnvelopeReader reader;
  reader.feed(R"({"method":"notifications/x","params":{})");
  EXPECT_FALSE(reader.envelope().kind);
  EXPECT_FALSE(reader.knows_all());
  reader.feed("}");
  EXPECT_EQ(reader.envelope().kind, Message::Kind::notification);
  EXPECT_TRUE(reader.knows_all());
}

TEST(EnvelopeReader, KnowsNothingWhereItCannotBeSure) {
  EXPECT_EQ(read_envelope(R"({"id":7,"method":"x","id":8})"), "unknown") << "a key that stands twice";
  EXPECT_EQ(read_envelope(R"({"id":7,"method":"x","method":"y"})"), "unknown");
  EXPECT_EQ(read_envelope(R"({"\u0069d":8,"id":7,"method":"x"})"), "unknown") << "a key that is written another way";
  EXPECT_EQ(read_envelope(R"({"id":{"id":7},"method":"x"})"), "unknown") << "an id that is none";
  EXPECT_EQ(read_envelope(R"({"id":1.5,"method":"x"})"), "unknown");
  EXPECT_EQ(read_envelope(R"({"id":null,"method":"x"})"), "unknown");
  EXPECT_EQ(read_envelope(R"({"id":18446744073709551616,"method":"x"})"), "unknown");
  EXPECT_EQ(read_envelope("{\"id\":\"" + std::string(1025, 'x') + "\",\"method\":\"x\"}"), "unknown");
  EXPECT_EQ(read_envelope("{\"id\":\"" + std::string(100'000, 'x')), "unknown");
  EXPECT_EQ(read_envelope("{\"id\":\"\xff\",\"method\":\"x\"}"), "unknown");
  EXPECT_EQ(read_envelope(R"([{"id":7,"method":"x"}])"), "unknown") << "a batch";
  EXPECT_EQ(read_envelope(R"({"id":7})"), "unknown") << "neither a request nor a response";
  EXPECT_EQ(read_envelope(R"({"id":7,"method":"x"}{})"), "unknown");
  for (const auto* text : {"", "   ", "7", "hello", "{\"id\" 7}", "{\"id\":7 \"method\":\"x\"}", "{id:7}", "{}"})
    EXPECT_EQ(read_envelope(text), "unknown") << text;
}

}  // namespace
}  // namespace mcph
