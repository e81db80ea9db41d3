#include "protocol/calls/plugin_result.hpp"

#include <gtest/gtest.h>

namespace mcph {
namespace {

std::string refusal_of(PluginMethod method, std::string_view json) {
  const auto result = read_plugin_result(method, json);
  return result ? "accepted" : result.error().message;
}
std::string refusal_of_tool_result(std::string_view json) {
  return refusal_of(PluginMethod::tools_call, json);
}
std::string refusal_of_block(const std::string& block) {
  return refusal_of_tool_result(R"({"content":[)" + block + "]}");
}
std::string refusal_of_read(std::string_view json) {
  return refusal_of(PluginMethod::resources_read, json);
}
std::string refusal_of_prompt_result(std::string_view json) {
  return refusal_of(PluginMethod::prompts_get, json);
}

TEST(PluginResult, IsReadWithAllItsMembers) {
  const auto result = read_plugin_result(
      PluginMethod::tools_call,
      R"({"content":[{"type":"text","text":"a"}],"isError":true,"_meta":{"m":1},"structuredContent":[]})");
  ASSERT_TRUE(result);
  EXPECT_EQ(result->root().find("structuredContent").json(), Json::array());
  EXPECT_EQ(result->root().find("_meta").find("m").json(), 1);
}

// The result with its URIs encoded, or "unchanged".
std::string with_encoded_uris(PluginMethod method, std::string_view json) {
  const auto read = read_plugin_result(method, json);
  const auto before = read->root().json();
  auto result = before;
  encode_uris(method, result);
  const bool changed = result != before;
  EXPECT_EQ(has_uris_to_encode(method, read->root()), changed) << json;
  return changed ? result.dump() : "unchanged";
}

TEST(PluginResult, HasUrisWithoutWhatAUriCannotHave) {
  const auto blocks = [](const std::string& uri) {
    return R"({"content":[{"name":"n","type":"resource_link","uri":")" + uri +
           R"("},{"resource":{"text":"ü ü","uri":")" + uri +
           R"("},"type":"resource"},{"text":"","type":"text","uri":"ü ü"}]})";
  };
  EXPECT_EQ(with_encoded_uris(PluginMethod::tools_call, blocks("notes://über uns")), blocks("notes://%C3%BCber%20uns"));
  EXPECT_EQ(with_encoded_uris(PluginMethod::tools_call, blocks("notes://%c3%bc?a[0]=~%7e")), "unchanged");
  EXPECT_EQ(with_encoded_uris(PluginMethod::resources_read,
                              R"({"contents":[{"text":"","uri":"a://%7e"},{"text":"","uri":"a://b c"}]})"),
            R"({"contents":[{"text":"","uri":"a://%7e"},{"text":"","uri":"a://b%20c"}]})");
  EXPECT_EQ(with_encoded_uris(
                PluginMethod::prompts_get,
                R"({"messages":[{"content":{"name":"n","type":"resource_link","uri":"a://b c"},"role":"user"}]})"),
            R"({"messages":[{"content":{"name":"n","type":"resource_link","uri":"a://b%20c"},"role":"user"}]})");
}

TEST(PluginResult, IsRefusedWhenItIsNoObject) {
  EXPECT_EQ(refusal_of_tool_result("{").substr(0, 22), "it is not valid JSON: ");
  EXPECT_EQ(refusal_of_tool_result("[]"), "it is not a JSON object");
  EXPECT_EQ(refusal_of_tool_result("").substr(0, 22), "it is not valid JSON: ");
  EXPECT_EQ(refusal_of_tool_result(R"({"content":[],"_meta":1})"), "\"_meta\" is not an object");
}

TEST(PluginResult, IsRefusedWhenItIsNestedTooDeeply) {
  const auto deep = [](std::size_t levels) {
    return R"({"content":[],"structuredContent":)" + std::string(levels, '[') + std::string(levels, ']') + "}";
  };
  EXPECT_EQ(refusal_of_tool_result(deep(100)), "accepted");
  EXPECT_NE(refusal_of_tool_result(deep(100'000)), "accepted");
}

TEST(PluginResult, HasAnnotationsThatClientsRead) {
  const auto with = [](const std::string& annotations) {
    return refusal_of_block(R"({"type":"text","text":"a","annotations":)" + annotations + "}");
  };
  EXPECT_EQ(with(R"({"audience":["user","assistant"],"priority":0.5,"lastModified":"2026-01-31T12:00:00Z","x":1})"),
            "accepted");
  EXPECT_EQ(with(R"({"audience":[],"priority":1})"), "accepted");
  EXPECT_EQ(with("1"), "content[0].annotations is not an object");
  EXPECT_EQ(with(R"({"audience":"user"})"),
            R"(content[0].annotations.audience is not an array of "user" and "assistant")");
  EXPECT_EQ(with(R"({"audience":["user","all"]})"),
            R"(content[0].annotations.audience is not an array of "user" and "assistant")");
  for (const auto* const priority : {"5", "-1", "1.5", "\"0.5\""})
    EXPECT_EQ(with(R"({"priority":)" + std::string(priority) + "}"),
              "content[0].annotations.priority is not a number from 0 to 1");
  EXPECT_EQ(with(R"({"lastModified":1})"), R"(content[0].annotations has a "lastModified" that is no string)");
}

TEST(PluginResult, HasTextsWhereClientsReadTexts) {
  EXPECT_EQ(refusal_of_block(R"({"type":"resource_link","uri":"a://b","name":"b","mimeType":5})"),
            R"(content[0] has a "mimeType" that is no string)");
  EXPECT_EQ(refusal_of_read(R"({"contents":[{"uri":"a://b","text":"","mimeType":5}]})"),
            R"(contents[0] has a "mimeType" that is no string)");
}

TEST(PluginResult, HasMetaThatIsAnObject) {
  EXPECT_EQ(refusal_of_block(R"({"type":"text","text":"","_meta":{"a":1}})"), "accepted");
  EXPECT_EQ(refusal_of_block(R"({"type":"text","text":"","_meta":1})"),
            R"(content[0] has a "_meta" that is no object)");
  EXPECT_EQ(refusal_of_block(R"({"type":"resource","resource":{"uri":"a://b","text":"","_meta":[]}})"),
            R"(content[0].resource has a "_meta" that is no object)");
  EXPECT_EQ(refusal_of_read(R"({"contents":[{"uri":"a://b","text":"","_meta":null}]})"),
            R"(contents[0] has a "_meta" that is no object)");
}

TEST(PluginResult, HasLinksWithASizeAndIconsThatClientsRead) {
  const auto with = [](const std::string& members) {
    return refusal_of_block(R"({"type":"resource_link","uri":"a://b","name":"b",)" + members + "}");
  };
  EXPECT_EQ(with(R"("size":7,"icons":[{"src":"a","mimeType":"image/png","sizes":["any"],"theme":"dark"}])"),
            "accepted");
  EXPECT_EQ(with(R"("icons":[])"), "accepted");
  EXPECT_EQ(with(R"("size":"7")"), R"(content[0] has a "size" that is no number)");
  EXPECT_EQ(with(R"("icons":{})"), R"(content[0] has "icons" that are no array)");
  EXPECT_EQ(with(R"("icons":["a"])"), "content[0].icons[0] is not an object");
  EXPECT_EQ(with(R"("icons":[{"src":"a"},{}])"), R"(content[0].icons[1] lacks the string "src")");
  EXPECT_EQ(with(R"("icons":[{"src":"a","mimeType":1}])"), R"(content[0].icons[0] has a "mimeType" that is no string)");
  EXPECT_EQ(with(R"("icons":[{"src":"a","sizes":"any"}])"),
            R"(content[0].icons[0] has "sizes" that are no array of strings)");
  EXPECT_EQ(with(R"("icons":[{"src":"a","theme":"red"}])"),
            R"(content[0].icons[0] has a "theme" that is neither "light" nor "dark")");
}

TEST(PluginResult, OfAToolHasContent) {
  EXPECT_EQ(refusal_of_tool_result("{}"), "it lacks the array \"content\"");
  EXPECT_EQ(refusal_of_tool_result(R"({"content":{}})"), "it lacks the array \"content\"");
  EXPECT_EQ(refusal_of_tool_result(R"({"content":[]})"), "accepted");
  EXPECT_EQ(refusal_of_tool_result(R"({"content":[],"isError":"no"})"), "\"isError\" is not true or false");
}

TEST(PluginResult, OfAToolHasBlocksOfKnownTypes) {
  EXPECT_EQ(refusal_of_block("1"), "content[0] is not an object");
  EXPECT_EQ(refusal_of_block("{}"), "content[0] lacks the string \"type\"");
  EXPECT_EQ(refusal_of_block(R"({"type":"video"})"), "content[0] has the unknown type \"video\"");
  EXPECT_EQ(refusal_of_block(R"({"type":"text","text":""},{"type":"text"})"), "content[1] lacks the string \"text\"");
  EXPECT_EQ(refusal_of_block(R"({"type":"image","data":""})"), "content[0] lacks the string \"mimeType\"");
  EXPECT_EQ(refusal_of_block(R"({"type":"audio","mimeType":"audio/wav"})"), "content[0] lacks the string \"data\"");
  EXPECT_EQ(refusal_of_block(R"({"type":"resource_link","uri":"a://b"})"), "content[0] lacks the string \"name\"");
  EXPECT_EQ(refusal_of_block(R"({"type":"resource"})"), "content[0] lacks \"resource\"");
  EXPECT_EQ(refusal_of_block(R"({"type":"resource","resource":{"text":""}})"),
            "content[0].resource lacks the string \"uri\"");
}

TEST(PluginResult, HasBytesAsBase64) {
  EXPECT_EQ(refusal_of_block(R"({"type":"image","data":"!!","mimeType":"image/png"})"),
            "content[0] has a \"data\" that is no Base64");
  EXPECT_EQ(refusal_of_block(R"({"type":"resource","resource":{"uri":"a://b","blob":"AAAAA"}})"),
            "content[0].resource has a \"blob\" that is no Base64");
  EXPECT_EQ(refusal_of_read(R"({"contents":[{"uri":"a://b","blob":"AA=A"}]})"),
            "contents[0] has a \"blob\" that is no Base64");
  EXPECT_EQ(refusal_of_read(R"({"contents":[{"uri":"a://b","blob":"\u0041A=="}]})"), "accepted");
}

TEST(PluginResult, OfAToolMayHaveEveryTypeOfBlock) {
  EXPECT_EQ(refusal_of_block(R"({"type":"text","text":"a"},
                                {"type":"image","data":"AA==","mimeType":"image/png"},
                                {"type":"audio","data":"AA==","mimeType":"audio/wav"},
                                {"type":"resource_link","uri":"a://b","name":"b"},
                                {"type":"resource","resource":{"uri":"a://b","blob":"AA=="}})"),
            "accepted");
}

TEST(PluginResult, OfAReadHasContents) {
  EXPECT_EQ(refusal_of_read("{}"), "it lacks the array \"contents\"");
  EXPECT_EQ(refusal_of_read(R"({"contents":[7]})"), "contents[0] is not an object");
  EXPECT_EQ(refusal_of_read(R"({"contents":[{"uri":"a://b"}]})"),
            R"(contents[0] has neither a "text" nor a "blob" string)");
  EXPECT_EQ(refusal_of_read(R"({"contents":[{"uri":"a://b","text":1}]})"),
            R"(contents[0] has neither a "text" nor a "blob" string)");
  EXPECT_EQ(refusal_of_read(R"({"contents":[{"uri":"a://b","text":""}]})"), "accepted");
}

TEST(PluginResult, OfAReadMayHaveCachingHints) {
  EXPECT_EQ(refusal_of_read(R"({"contents":[],"ttlMs":0,"cacheScope":"public"})"), "accepted");
  EXPECT_EQ(refusal_of_read(R"({"contents":[],"cacheScope":"private"})"), "accepted");
  EXPECT_EQ(refusal_of_read(R"({"contents":[],"ttlMs":-1})"), "\"ttlMs\" is not a whole number of at least 0");
  EXPECT_EQ(refusal_of_read(R"({"contents":[],"ttlMs":1.5})"), "\"ttlMs\" is not a whole number of at least 0");
  EXPECT_EQ(refusal_of_read(R"({"contents":[],"cacheScope":"all"})"),
            R"("cacheScope" is neither "public" nor "private")");
}

TEST(PluginResult, OfAPromptHasMessages) {
  EXPECT_EQ(refusal_of_prompt_result("{}"), "it lacks the array \"messages\"");
  EXPECT_EQ(refusal_of_prompt_result(R"({"messages":[7]})"), "messages[0] is not an object");
  EXPECT_EQ(refusal_of_prompt_result(R"({"messages":[{"role":"system"}]})"),
            R"(messages[0] has a "role" that is neither "user" nor "assistant")");
  EXPECT_EQ(refusal_of_prompt_result(R"({"messages":[{"role":"user"}]})"), "messages[0] lacks \"content\"");
  EXPECT_EQ(refusal_of_prompt_result(R"({"messages":[{"role":"user","content":"words"}]})"),
            "messages[0].content is not an object");
  EXPECT_EQ(refusal_of_prompt_result(R"({"messages":[],"description":1})"), "\"description\" is not a string");
  EXPECT_EQ(refusal_of_prompt_result(R"({"messages":[{"role":"assistant","content":{"type":"text","text":"a"}}]})"),
            "accepted");
}

TEST(PluginError, IsReadWithItsData) {
  const auto error = read_plugin_error(R"({"code":-32002,"message":"Not there","data":{"uri":"a://b"}})");
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code, -32002);
  EXPECT_EQ(error->message, "Not there");
  EXPECT_EQ(error->data, Json({{"uri", "a://b"}}));
  EXPECT_TRUE(read_plugin_error(R"({"code":1,"message":""})")->data.is_null());
}

std::string refusal_with_output_schema(std::string_view result) {
  const auto schema = Schema::compile({{"properties", {{"sum", {{"type", "integer"}}}}}, {"required", {"sum"}}});
  const auto read = read_plugin_result(PluginMethod::tools_call, result, *schema);
  return read ? "accepted" : read.error().message;
}

TEST(PluginResult, OfAToolWithAnOutputSchemaHasStructuredContentThatFits) {
  EXPECT_EQ(refusal_with_output_schema(R"({"content":[],"structuredContent":{"sum":3}})"), "accepted");
  EXPECT_EQ(refusal_with_output_schema(R"({"content":[]})"),
            "the tool has an outputSchema, but the result has no \"structuredContent\"");
  EXPECT_EQ(refusal_with_output_schema(R"({"content":[],"structuredContent":{"sum":"3"}})"),
            "structuredContent/sum does not fit the tool's outputSchema (type): \"sum\" must be an integer, but is "
            "\"3\"");
  EXPECT_EQ(refusal_with_output_schema(R"({"content":[],"isError":false,"structuredContent":{}})"),
            "structuredContent does not fit the tool's outputSchema (required): \"sum\" is required, but absent");
}

TEST(PluginResult, ThatIsAnErrorNeedNotFitTheOutputSchema) {
  EXPECT_EQ(refusal_with_output_schema(R"({"content":[],"isError":true})"), "accepted");
  EXPECT_EQ(refusal_with_output_schema(R"({"content":[],"isError":true,"structuredContent":{"sum":"x"}})"), "accepted");
}

TEST(PluginResult, InWhichAKeyStandsTwiceIsRefused) {
  const auto result = read_plugin_result(PluginMethod::tools_call, R"({"content":[],"content":[]})");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().message, "it is not valid JSON: not usable JSON: an object has the key \"content\" twice");
}

TEST(PluginError, IsRefusedInWords) {
  const auto refusal = [](std::string_view json) {
    const auto error = read_plugin_error(json);
    return error ? "accepted" : error.error().message;
  };
  EXPECT_EQ(refusal("[]"), "it is not a JSON object");
  EXPECT_EQ(refusal("{}"), "the error lacks the whole number \"code\"");
  EXPECT_EQ(refusal(R"({"code":1.5,"message":""})"), "the error lacks the whole number \"code\"");
  EXPECT_EQ(refusal(R"({"code":1})"), "the error lacks the string \"message\"");
}

TEST(PluginError, IsRefusedWhenItsCodeIsTooLargeForOne) {
  EXPECT_FALSE(read_plugin_error(R"({"code":4294967297,"message":"would be read as 1"})"));
}

}  // namespace
}  // namespace mcph
