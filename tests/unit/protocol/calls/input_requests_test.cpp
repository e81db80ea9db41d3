#include "protocol/calls/input_requests.hpp"

#include <gtest/gtest.h>

namespace mcph {
namespace {

std::string refusal(const std::string& request) {
  const auto read = read_input_requests(R"({"inputRequests":{"a":)" + request + "}}");
  return read ? "accepted" : read.error().message;
}

OrderedJson question(const std::string& method, const std::string& params) {
  return {{"method", method}, {"params", OrderedJson::parse(params)}};
}

const OrderedJson form_request = question(
    "elicitation/create",
    R"({"message":"?","requestedSchema":{"type":"object","properties":{"age":{"type":"integer","minimum":18}},"required":["age"]}})");
const OrderedJson url_request =
    question("elicitation/create", R"({"mode":"url","message":"?","url":"https://example.com/"})");
const OrderedJson sampling = question("sampling/createMessage", R"({"messages":[],"maxTokens":1})");
const OrderedJson roots_request = question("roots/list", "{}");

std::string mistake(const OrderedJson& request, const std::string& answer) {
  return mistake_in_answer(request, Json::parse(answer)).value_or("none");
}

TEST(InputRequests, AreReadByTheirNames) {
  const auto read =
      read_input_requests(OrderedJson{{"inputRequests", {{"a", form_request}, {"b", roots_request}}}}.dump());
  ASSERT_TRUE(read);
  EXPECT_EQ(*read, (OrderedJson{{"a", form_request}, {"b", roots_request}}));
}

TEST(InputRequests, KeepTheOrderOfTheirFields) {
  constexpr auto request =
      R"({"method":"elicitation/create","params":{"message":"Whom?","requestedSchema":{"type":"object","properties":{)"
      R"("surname":{"type":"string"},"name":{"type":"string"},"age":{"type":"integer"}}}}})";
  const auto json = R"({"second":)" + std::string(request) + R"(,"first":)" + request + "}";
  EXPECT_EQ(read_input_requests(R"({"inputRequests":)" + json + "}")->dump(), json);
}

TEST(InputRequests, HaveParamsEvenIfThePluginLeftThemOut) {
  EXPECT_EQ((*read_input_requests(R"({"inputRequests":{"a":{"method":"roots/list"}}})"))["a"]["params"],
            OrderedJson::object());
}

TEST(InputRequests, AreRefusedAsAWhole) {
  const auto whole = [](std::string_view json) { return read_input_requests(json).error().message; };
  constexpr auto lacks = "it lacks \"inputRequests\", an object with at least one request";
  EXPECT_EQ(whole("[]"), "it is not a JSON object");
  EXPECT_EQ(whole("{}"), lacks);
  EXPECT_EQ(whole(R"({"inputRequests":[]})"), lacks);
  EXPECT_EQ(whole(R"({"inputRequests":{}})"), lacks);
  OrderedJson many;
  for (int i = 0; i < 33; ++i)
    many[std::to_string(i)] = roots_request;
  EXPECT_EQ(whole(OrderedJson{{"inputRequests", many}}.dump()), "\"inputRequests\" has 33 requests, more than 32");
}

TEST(InputRequests, AreRefusedByNameAndReason) {
  EXPECT_EQ(refusal("1"), "inputRequests.a: it is not an object");
  EXPECT_EQ(refusal(R"({"method":"tools/call"})"),
            "inputRequests.a: \"method\" is none of elicitation/create, sampling/createMessage, roots/list and "
            "resources/read");
  EXPECT_EQ(refusal(R"({"method":"elicitation/create"})"), "inputRequests.a: params is not an object");
  EXPECT_EQ(refusal(R"({"method":"elicitation/create","params":{}})"),
            "inputRequests.a: params.message is not a string");
  EXPECT_EQ(refusal(R"({"method":"elicitation/create","params":{"message":"?","mode":"fax"}})"),
            "inputRequests.a: params.mode is neither \"form\" nor \"url\"");
  EXPECT_EQ(refusal(R"({"method":"elicitation/create","params":{"message":"?","mode":"url"}})"),
            "inputRequests.a: params.url is no URL of a page, such as https://example.com");
  EXPECT_EQ(refusal(R"({"method":"elicitation/create","params":{"message":"?","requestedSchema":{}}})"),
            "inputRequests.a: params.requestedSchema is not a schema with \"type\": \"object\" and \"properties\"");
  EXPECT_EQ(refusal(R"({"method":"sampling/createMessage","params":{"maxTokens":1}})"),
            "inputRequests.a: params.messages is not an array");
  EXPECT_EQ(refusal(R"({"method":"sampling/createMessage","params":{"messages":[]}})"),
            "inputRequests.a: params.maxTokens is not a whole number of at least 1");
  EXPECT_EQ(refusal(R"({"method":"sampling/createMessage","params":{"messages":[],"maxTokens":0}})"),
            "inputRequests.a: params.maxTokens is not a whole number of at least 1");
  EXPECT_EQ(refusal(R"({"method":"roots/list","params":[]})"), "inputRequests.a: params is not an object");
}

TEST(InputRequests, SendNobodyToWhatIsNoPage) {
  const auto at = [](const std::string& url) {
    return refusal(R"({"method":"elicitation/create","params":{"message":"?","mode":"url","url":")" + url + "\"}}");
  };
  for (const auto* const good : {"https://example.com/pay?id=1", "HTTP://127.0.0.1:8080", "https://[::1]/",
                                 "vscode://x/y", "https://a.example/x|y"})
    EXPECT_EQ(at(good), "accepted") << good;
  for (const auto* const bad :
       {"", "a page", "javascript:alert(1)", "https://", "https:///x", "//example.com", "file:///etc/passwd",
        "file://host/share", "JavaScript://example.com/%0aalert(1)", "data:text/html,x"})
    EXPECT_EQ(at(bad), "inputRequests.a: params.url is no URL of a page, such as https://example.com") << bad;
}

TEST(InputRequests, AskNoModelWithToolsAndResultsThatDoNotBelongTogether) {
  const auto with = [](const std::string& messages) {
    return refusal(R"({"method":"sampling/createMessage","params":{"maxTokens":1,"messages":[)" + messages + "]}}");
  };
  const std::string use = R"({"role":"assistant","content":[{"type":"text","text":"so"},)"
                          R"({"type":"tool_use","id":"1","name":"add","input":{}}]})";
  const auto result_of = [](const std::string& id) {
    return R"({"type":"tool_result","toolUseId":")" + id + R"(","content":[]})";
  };
  const auto result = R"({"role":"user","content":)" + result_of("1") + "}";
  const std::string text = R"({"role":"user","content":{"type":"text","text":"hi"}})";
  EXPECT_EQ(with(text + "," + use + "," + result + "," + text), "accepted");
  const auto unanswered =
      "inputRequests.a: each \"tool_use\" of params.messages needs its \"tool_result\" in the next message, and no "
      "other";
  EXPECT_EQ(with(result), unanswered);
  EXPECT_EQ(with(use + R"(,{"role":"user","content":)" + result_of("2") + "}"), unanswered);
  EXPECT_EQ(with(use), unanswered);
  EXPECT_EQ(with(use + "," + text + "," + result), unanswered);
  const auto mixed =
      "inputRequests.a: a message of params.messages with a \"tool_result\" is not the user's, or has something else "
      "beside it";
  EXPECT_EQ(with(use + R"(,{"role":"user","content":[)" + result_of("1") + R"(,{"type":"text","text":"and"}]})"),
            mixed);
  EXPECT_EQ(with(R"({"role":"assistant","content":)" + result_of("1") + "}"), mixed);
}

TEST(InputRequests, AskNoModelWithBlocksThatNoMessageMayHave) {
  const auto with = [](const std::string& block) {
    return refusal(
        R"({"method":"sampling/createMessage","params":{"maxTokens":1,"messages":[{"role":"user","content":)" + block +
        "}]}}");
  };
  for (const auto* const good :
       {R"([])", R"({"type":"text","text":"a"})", R"([{"type":"image","data":"AA==","mimeType":"image/png"}])",
        R"({"type":"audio","data":"AA==","mimeType":"audio/wav"})"})
    EXPECT_EQ(with(good), "accepted") << good;
  for (const auto* const bad :
       {R"("words")", R"({"text":"a"})", R"({"type":"text"})", R"({"type":"image","data":"AA=="})",
        R"({"type":"resource","resource":{"uri":"a://b","text":""}})",
        R"({"type":"resource_link","uri":"a://b","name":"b"})", R"({"type":"tool_use","id":"1","name":"add"})",
        R"({"type":"tool_use","id":"1","name":"add","input":[]})", R"({"type":"tool_result","toolUseId":"1"})",
        R"([{"type":"text","text":"a"},{"type":"video"}])"})
    EXPECT_EQ(with(bad),
              "inputRequests.a: an element of params.messages lacks \"content\", a block of the type text, image, "
              "audio, tool_use or tool_result with all that such a block needs, or an array of them, or the \"role\" "
              "\"user\" or \"assistant\"")
        << bad;
}

TEST(InputRequests, AskAModelWithOptionsThatClientsRead) {
  const auto with = [](const std::string& options) {
    return refusal(R"({"method":"sampling/createMessage","params":{"maxTokens":1,"messages":[],)" + options + "}}");
  };
  EXPECT_EQ(with(R"("systemPrompt":"Be terse.","temperature":0.5,"stopSequences":["."],"includeContext":"none",)"
                 R"("modelPreferences":{},"metadata":{},"toolChoice":{"mode":"auto"},)"
                 R"("tools":[{"name":"add","inputSchema":{"type":"object"}}])"),
            "accepted");
  EXPECT_EQ(with(R"("systemPrompt":1)"), "inputRequests.a: params.systemPrompt is not a string");
  EXPECT_EQ(with(R"("temperature":"0.5")"), "inputRequests.a: params.temperature is not a number");
  EXPECT_EQ(with(R"("stopSequences":".")"), "inputRequests.a: params.stopSequences is not an array of strings");
  EXPECT_EQ(with(R"("includeContext":"all")"),
            "inputRequests.a: params.includeContext is not one of none, thisServer and allServers");
  EXPECT_EQ(with(R"("modelPreferences":"sonnet")"), "inputRequests.a: params.modelPreferences is not an object");
  EXPECT_EQ(with(R"("metadata":[])"), "inputRequests.a: params.metadata is not an object");
  EXPECT_EQ(with(R"("toolChoice":"auto")"), "inputRequests.a: params.toolChoice is not an object");
  for (const auto* const tools : {"{}", R"([{"name":"add"}])", R"(["add"])"})
    EXPECT_EQ(with(R"("tools":)" + std::string(tools)),
              "inputRequests.a: params.tools is not an array of tools, each with a \"name\" and an \"inputSchema\"");
}

TEST(InputRequests, HaveNoFormsWithFieldsThatClientsCannotShow) {
  const auto with = [](const std::string& field) {
    return refusal(
        R"({"method":"elicitation/create","params":{"message":"?","requestedSchema":{"type":"object","properties":{"x":)" +
        field + "}}}}");
  };
  EXPECT_EQ(with(R"({"type":"string","enum":["a"]})"), "accepted");
  EXPECT_EQ(with(R"({"type":"array","items":{"type":"string","enum":["a"]}})"), "accepted");
  const auto no_field =
      "inputRequests.a: params.requestedSchema.properties.x is not a string, a number, an integer, a boolean or a "
      "choice of several strings; forms have no other fields";
  EXPECT_EQ(with(R"({"type":"object"})"), no_field);
  EXPECT_EQ(with(R"({"type":"string","enum":[1]})"), no_field);
  EXPECT_EQ(with(R"({"type":"string","oneOf":["a"]})"), no_field);
  EXPECT_EQ(with(R"({"type":"string","enum":["a"],"oneOf":["a"]})"), no_field) << "each is looked at";
  EXPECT_EQ(with(R"({"type":"array","items":{"enum":["a"],"anyOf":"a"}})"), no_field) << "each is looked at";
  EXPECT_EQ(with(R"({"type":"array","items":{"anyOf":[{"type":"object"}]}})"), no_field);
  EXPECT_EQ(with(R"({"type":"array","items":{"type":"string"}})"), no_field);
  EXPECT_EQ(with("true"), no_field);
}

TEST(InputRequests, HaveFormsWithAllThatClientsWantOfAChoice) {
  const auto field = [](const std::string& json) {
    const auto read = read_input_requests(
        R"({"inputRequests":{"a":{"method":"elicitation/create","params":{"message":"?","requestedSchema":)"
        R"({"type":"object","properties":{"x":)" +
        json + "}}}}}}");
    return read ? (*read)["a"]["params"]["requestedSchema"]["properties"]["x"].dump() : read.error().message;
  };
  EXPECT_EQ(field(R"({"type":"string","oneOf":[{"const":"a"},{"const":"b","title":"B"}]})"),
            R"({"type":"string","oneOf":[{"const":"a","title":"a"},{"const":"b","title":"B"}]})");
  EXPECT_EQ(field(R"({"type":"array","items":{"enum":["a"]}})"),
            R"({"type":"array","items":{"enum":["a"],"type":"string"}})");
  EXPECT_EQ(field(R"({"type":"array","items":{"anyOf":[{"const":"a"}]}})"),
            R"({"type":"array","items":{"anyOf":[{"const":"a","title":"a"}]}})");
}

TEST(AnswerOfTheClient, ToAFormIsWhatItsSchemaSays) {
  EXPECT_EQ(mistake(form_request, R"({"action":"accept","content":{"age":20}})"), "none");
  EXPECT_EQ(mistake(form_request, R"({"action":"decline"})"), "none");
  EXPECT_EQ(mistake(form_request, R"({"action":"cancel"})"), "none");
  EXPECT_EQ(mistake(form_request, R"({"action":"accept","content":{"age":17}})"),
            "\"content\": \"age\" must be at least 18, but is 17");
  EXPECT_EQ(mistake(form_request, R"({"action":"accept"})"),
            "\"content\" is not an object, although the form was accepted");
  EXPECT_EQ(mistake(form_request, R"({"action":"perhaps"})"), "\"action\" is none of accept, decline and cancel");
  EXPECT_EQ(mistake(form_request, "12"), "it is not an object");
}

TEST(AnswerOfTheClient, ToAFormIsNotHeldToAFormat) {
  const auto dated =
      question("elicitation/create", R"({"message":"?","requestedSchema":{"type":"object","properties":{)"
                                     R"("day":{"type":"string","format":"date"}}}})");
  EXPECT_EQ(mistake(dated, R"({"action":"accept","content":{"day":"nonsense"}})"), "none");
}

TEST(AnswerOfTheClient, ToAPageHasNoContent) {
  EXPECT_EQ(mistake(url_request, R"({"action":"accept"})"), "none");
}

TEST(AnswerOfTheClient, ToSamplingIsAMessage) {
  EXPECT_EQ(mistake(sampling, R"({"role":"assistant","model":"m","content":{"type":"text","text":"hi"}})"), "none");
  EXPECT_EQ(mistake(sampling, R"({"role":"assistant","model":"m","content":[]})"), "none");
  EXPECT_EQ(mistake(sampling, R"({"model":"m","content":[]})"), R"("role" is neither "assistant" nor "user")");
  EXPECT_EQ(mistake(sampling, R"({"role":"robot","model":"m","content":[]})"),
            R"("role" is neither "assistant" nor "user")");
  EXPECT_EQ(mistake(sampling, R"({"role":"assistant","content":[]})"), "\"model\" is not a string");
  EXPECT_EQ(mistake(sampling, R"({"role":"assistant","model":"m","content":"hi"})"),
            "\"content\" is neither a content block nor an array of them");
}

TEST(AnswerOfTheClient, ToRootsIsAListOfUris) {
  EXPECT_EQ(mistake(roots_request, R"({"roots":[]})"), "none");
  EXPECT_EQ(mistake(roots_request, R"({"roots":[{"uri":"file:///a"}]})"), "none");
  EXPECT_EQ(mistake(roots_request, R"({"roots":[{"name":"a"}]})"),
            "an element of \"roots\" has no \"uri\" that begins with file://, or its \"name\" is no string");
  EXPECT_EQ(mistake(roots_request, R"({"roots":[{"uri":"http://x/"}]})"),
            "an element of \"roots\" has no \"uri\" that begins with file://, or its \"name\" is no string");
  EXPECT_EQ(mistake(roots_request, "{}"), "\"roots\" is not an array");
}

TEST(EssenceOfInputRequests, IsEnoughToCheckAnswers) {
  const auto essence = essence_of({{"form", form_request}, {"page", url_request}, {"sampling", sampling}});
  EXPECT_EQ(essence["sampling"], (Json{{"method", "sampling/createMessage"}, {"params", Json::object()}}));
  EXPECT_EQ(mistake(essence["form"], R"({"action":"accept","content":{"age":17}})"),
            "\"content\": \"age\" must be at least 18, but is 17");
  EXPECT_EQ(mistake(essence["page"], R"({"action":"accept"})"), "none");
}

}  // namespace
}  // namespace mcph
