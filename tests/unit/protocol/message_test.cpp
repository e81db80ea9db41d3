#include "protocol/message.hpp"

#include <gtest/gtest.h>

#include "support/json_value.hpp"

namespace mcph {
namespace {

ReadMessage read(const char* text) {
  return read_message(test::json_value(text));
}

// The id that an error would carry, and its words.
std::string refusal_of(const char* text) {
  const auto result = read(text);
  if (!result.error) return "accepted";
  EXPECT_EQ(result.error->code, -32600);
  EXPECT_FALSE(result.message);
  return result.id + "|" + result.error->message;
}

TEST(Message, IsARequestWithAnId) {
  const auto result = read(R"({"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"a"}})");
  ASSERT_TRUE(result.message);
  EXPECT_EQ(result.message->kind, Message::Kind::request);
  EXPECT_EQ(result.message->id, "7");
  EXPECT_EQ(result.id, "7");
  EXPECT_EQ(result.message->method_name, "tools/call");
  EXPECT_EQ(result.message->method, Method::tools_call);
  EXPECT_EQ(result.message->params.json(), Json({{"name", "a"}}));
}

TEST(Message, KeepsTheTypeOfItsId) {
  EXPECT_EQ(read(R"({"jsonrpc":"2.0","id":"7","method":"ping"})").message->id, R"("7")");
  EXPECT_EQ(read(R"({"jsonrpc":"2.0","id":-1,"method":"ping"})").message->id, "-1");
  EXPECT_EQ(read(R"({"jsonrpc":"2.0","id":"a\"b","method":"ping"})").message->id, R"("a\"b")");
}

TEST(Message, HasEmptyParamsWhereNoneAreGiven) {
  EXPECT_EQ(read(R"({"jsonrpc":"2.0","id":1,"method":"ping"})").message->params.size(), 0U);
}

TEST(Message, IsANotificationWithoutAnId) {
  const auto result = read(R"({"jsonrpc":"2.0","method":"notifications/initialized"})");
  ASSERT_TRUE(result.message);
  EXPECT_EQ(result.message->kind, Message::Kind::notification);
  EXPECT_EQ(result.message->id, "");
}

TEST(Message, KeepsTheNameOfAMethodThatNobodyKnows) {
  const auto result = read(R"({"jsonrpc":"2.0","id":1,"method":"tools/dance"})");
  EXPECT_EQ(result.message->method_name, "tools/dance");
  EXPECT_EQ(result.message->method, std::nullopt);
}

TEST(Message, IsAResponseWhereItsSenderCouldNotReadTheRequest) {
  const auto result = read(R"({"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}})");
  ASSERT_TRUE(result.message);
  EXPECT_EQ(result.message->kind, Message::Kind::response);
  EXPECT_TRUE(result.message->is_error);
  EXPECT_EQ(result.message->id, "");
  EXPECT_NE(refusal_of(R"({"jsonrpc":"2.0","id":null,"result":{}})"), "accepted");
}

TEST(Message, IsAResponseWithoutAMethod) {
  EXPECT_EQ(read(R"({"jsonrpc":"2.0","id":1,"result":{}})").message->kind, Message::Kind::response);
  EXPECT_EQ(read(R"({"jsonrpc":"2.0","id":1,"error":{"code":1,"message":""}})").message->kind, Message::Kind::response);
}

TEST(Message, IsRefusedInWordsWithTheIdWhereThereIsOne) {
  EXPECT_EQ(refusal_of("1"), "|Invalid request: a message is a JSON object");
  EXPECT_EQ(refusal_of(R"({"id":1,"method":"ping"})"), R"(1|Invalid request: "jsonrpc" must be "2.0")");
  EXPECT_EQ(refusal_of(R"({"jsonrpc":"1.0","id":"x","method":"ping"})"),
            R"("x"|Invalid request: "jsonrpc" must be "2.0")");
  EXPECT_EQ(refusal_of(R"({"jsonrpc":2.0,"id":1,"method":"ping"})"), R"(1|Invalid request: "jsonrpc" must be "2.0")");
  EXPECT_EQ(refusal_of(R"({"jsonrpc":"2.0","id":3,"method":5})"), R"(3|Invalid request: "method" must be a string)");
  EXPECT_EQ(refusal_of(R"({"jsonrpc":"2.0","id":3})"),
            R"(|Invalid request: there is neither a "method" nor a "result" or "error")")
      << "it can only be meant as a response, whose id is the host's";
  EXPECT_EQ(refusal_of(R"({"jsonrpc":"2.0","id":3,"method":"ping","params":[1]})"),
            R"(3|Invalid request: "params" must be an object)");
}

TEST(Message, ThatCanOnlyBeMeantAsAResponseSaysWhatItAnswers) {
  EXPECT_EQ(read(R"({"jsonrpc":"2.0","id":3})").answered, "3");
  EXPECT_EQ(read(R"({"id":3,"result":{}})").answered, "3");
  EXPECT_EQ(refusal_of(R"({"id":3,"result":{}})"), R"(|Invalid request: "jsonrpc" must be "2.0")");
  EXPECT_EQ(read(R"({"id":3,"method":"ping"})").answered, "");
  EXPECT_EQ(read("1").answered, "");
}

TEST(Message, HasFieldsOfExactlyTheseNames) {
  EXPECT_EQ(refusal_of(R"({"JSONRPC":"2.0","id":1,"method":"ping"})"), R"(1|Invalid request: "jsonrpc" must be "2.0")");
  EXPECT_EQ(refusal_of(R"({"jsonrpc":"2.0","id":1,"Method":"ping"})"),
            R"(|Invalid request: there is neither a "method" nor a "result" or "error")");
  const auto result = read(R"({"jsonrpc":"2.0","ID":1,"id":2,"method":"ping","Method":"x","Params":{"a":1}})");
  ASSERT_TRUE(result.message);
  EXPECT_EQ(result.message->id, "2");
  EXPECT_EQ(result.message->method, Method::ping);
  EXPECT_EQ(result.message->params.size(), 0U);
}

TEST(Message, IsRefusedForAnIdThatIsNeitherStringNorInteger) {
  constexpr auto refusal =
      R"(|Invalid request: "id" must be a string of at most 1024 bytes, or an integer of at most 64 bits that is )"
      "written without a fraction and an exponent";
  EXPECT_EQ(refusal_of(R"({"jsonrpc":"2.0","id":null,"method":"ping"})"), refusal);
  EXPECT_EQ(refusal_of(R"({"jsonrpc":"2.0","id":1.5,"method":"ping"})"), refusal);
  EXPECT_EQ(refusal_of(R"({"jsonrpc":"2.0","id":1.0,"method":"ping"})"), refusal);
  EXPECT_EQ(refusal_of(R"({"jsonrpc":"2.0","id":1e3,"method":"ping"})"), refusal);
  EXPECT_EQ(refusal_of(R"({"jsonrpc":"2.0","id":18446744073709551616,"method":"ping"})"), refusal);
  EXPECT_EQ(refusal_of(R"({"jsonrpc":"2.0","id":{},"method":"ping"})"), refusal);
  EXPECT_EQ(refusal_of(R"({"jsonrpc":"2.0","id":true,"method":"ping"})"), refusal);
}

TEST(Message, HasAnIdOfBoundedLength) {
  const auto with_id = [](std::size_t size) {
    return read_message(test::json_value(Json{{"jsonrpc", "2.0"}, {"method", "ping"}, {"id", std::string(size, 'x')}}));
  };
  EXPECT_TRUE(with_id(1024).message);
  const auto refused = with_id(1025);
  EXPECT_FALSE(refused.message);
  EXPECT_EQ(refused.id, "");
}

TEST(Message, IsWrittenAsAResult) {
  EXPECT_EQ(result_response(R"("a")", R"({"tools":[]})"), R"({"jsonrpc":"2.0","id":"a","result":{"tools":[]}})");
  EXPECT_EQ(id_of_response(result_response(R"("a\",\"result\":")", "{}")), R"("a\",\"result\":")");
  EXPECT_EQ(id_of_response(notification(Method::notifications_message)), "");
}

TEST(Message, HasTheIdThatItBeginsWithWhateverFollows) {
  EXPECT_EQ(id_of_response(error_response("1", {1, "a", {{"result", 2}}})), "1");
  EXPECT_EQ(id_of_response(error_response(R"("a\\\",b")", {1, "a"})), R"("a\\\",b")");
  EXPECT_EQ(id_of_response(error_response({}, {1, "a", {{"id", 3}}})), "");
  EXPECT_EQ(id_of_response(result_response("-7", R"({"id":3})")), "-7");
}

TEST(Message, SaysWhatAnAnswerWasMadeOf) {
  EXPECT_EQ(answer_in(result_response("7", R"({"a":[1]})")).json, R"({"a":[1]})");
  EXPECT_EQ(answer_in(result_response(R"("a,\"b")", "{}")).json, "{}");
  EXPECT_EQ(answer_in(result_response("7", R"({"message":"m"})")).message, "");
  const auto error = error_response("7", {-32602, "say \"x\"", {{"message", "other"}}});
  EXPECT_EQ(answer_in(error).json, R"({"code":-32602,"message":"say \"x\"","data":{"message":"other"}})");
  EXPECT_EQ(answer_in(error).message, R"("say \"x\"")");
  const auto nameless = error_response({}, {-32700, "no"});
  EXPECT_EQ(answer_in(nameless).json, R"({"code":-32700,"message":"no"})");
  EXPECT_EQ(answer_in(nameless).message, R"("no")");
  for (const auto* text : {"", "}", "{}", "the answer", R"({"jsonrpc":"2.0","id":7})", R"({"jsonrpc":"2.0",})"})
    EXPECT_EQ(answer_in(text).json, "") << text;
}

TEST(Message, IsWrittenAsAnError) {
  EXPECT_EQ(error_response("1", {-32601, "Method \"x\" not found"}),
            R"({"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method \"x\" not found"}})");
  EXPECT_EQ(error_response("1", {-32602, "No", {{"field", "a"}}}),
            R"({"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"No","data":{"field":"a"}}})");
}

TEST(Message, IsWrittenAsAnErrorWithoutAnIdWhereNoneCouldBeRead) {
  EXPECT_EQ(error_response({}, {-32700, "Parse error"}),
            R"({"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error"}})");
}

TEST(Message, IsWrittenAsANotification) {
  EXPECT_EQ(notification(Method::notifications_tools_list_changed),
            R"({"jsonrpc":"2.0","method":"notifications/tools/list_changed"})");
  EXPECT_EQ(notification(Method::notifications_progress, R"({"progress":1})"),
            R"({"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":1}})");
}

}  // namespace
}  // namespace mcph
