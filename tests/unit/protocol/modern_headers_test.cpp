#include "protocol/modern_headers.hpp"

#include <gtest/gtest.h>

namespace mcph {
namespace {

constexpr auto revision = "2026-07-28";

std::string refusal_of_meta(const char* params) {
  auto json = Json::parse(params);
  const auto taken = take_caller(json);
  const auto* error = std::get_if<RpcError>(&taken);
  if (error == nullptr) return "accepted";
  EXPECT_EQ(error->code, -32602);
  return error->message;
}

std::string refusal_of_head(const HttpHead& head, std::string_view method, const char* params = "{}") {
  auto error = check_version_header(head, revision);
  if (!error) error = check_headers(head, method, Json::parse(params));
  if (!error) return "accepted";
  EXPECT_EQ(error->code, -32020);
  return error->message;
}

TEST(ModernMeta, IsTakenOutOfTheParams) {
  auto params = Json::parse(R"({"name":"add","_meta":{
      "io.modelcontextprotocol/protocolVersion":"2026-07-28",
      "io.modelcontextprotocol/clientCapabilities":{"roots":{}},
      "io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"},
      "progressToken":1}})");
  const auto caller = std::get<Caller>(take_caller(params));
  EXPECT_EQ(params.dump(), R"({"_meta":{"progressToken":1},"name":"add"})");
  EXPECT_EQ(caller.protocol_version, "2026-07-28");
  EXPECT_EQ(caller.capabilities.dump(), R"({"roots":{}})");
  EXPECT_EQ(caller.client.dump(), R"({"name":"c","version":"1"})");
}

TEST(ModernMeta, MayLackTheClientsInfoAndAnythingOfTheRequestsOwn) {
  auto params = Json::parse(R"({"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",
                                         "io.modelcontextprotocol/clientCapabilities":{}}})");
  const auto caller = std::get<Caller>(take_caller(params));
  EXPECT_TRUE(caller.client.is_null());
  EXPECT_EQ(params.dump(), "{}");
}

TEST(ModernMeta, SaysFromWhichSeverityOnTheClientWantsToHear) {
  auto params = Json::parse(R"({"_meta":{"io.modelcontextprotocol/logLevel":"warning","progressToken":1}})");
  EXPECT_EQ(std::get<0>(take_log_level(params)), LogLevel::warning);
  EXPECT_EQ(params.dump(), R"({"_meta":{"progressToken":1}})");
  EXPECT_EQ(std::get<0>(take_log_level(params)), std::nullopt);
}

TEST(ModernMeta, IsRefusedForASeverityThatDoesNotExist) {
  for (const auto* const level : {R"("loud")", R"("Warning")", "3", "null"}) {
    auto params = Json::parse(R"({"_meta":{"io.modelcontextprotocol/logLevel":)" + std::string(level) + "}}");
    const auto error = std::get<RpcError>(take_log_level(params));
    EXPECT_EQ(error.code, -32602);
    EXPECT_EQ(error.message, "Invalid params: " + std::string(level) +
                                 " is no log level; it is one of debug, info, notice, warning, error, critical, alert, "
                                 "emergency");
  }
}

TEST(ModernMeta, IsRefusedForEveryRequiredField) {
  EXPECT_EQ(refusal_of_meta("{}"), "Invalid params: params._meta must be an object");
  EXPECT_EQ(refusal_of_meta(R"({"_meta":[]})"), "Invalid params: params._meta must be an object");
  EXPECT_EQ(refusal_of_meta(R"({"_meta":{}})"),
            "Invalid params: params._meta lacks the string io.modelcontextprotocol/protocolVersion");
  EXPECT_EQ(refusal_of_meta(R"({"_meta":{"io.modelcontextprotocol/protocolVersion":20260728}})"),
            "Invalid params: params._meta lacks the string io.modelcontextprotocol/protocolVersion");
  EXPECT_EQ(refusal_of_meta(R"({"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}})"),
            "Invalid params: params._meta lacks the object io.modelcontextprotocol/clientCapabilities");
  EXPECT_EQ(refusal_of_meta(R"({"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",
                                         "io.modelcontextprotocol/clientCapabilities":{},
                                         "io.modelcontextprotocol/clientInfo":"c"}})"),
            "Invalid params: params._meta has a io.modelcontextprotocol/clientInfo that is not an object");
}

TEST(ModernMeta, IsKnownByAnyOfItsKeys) {
  EXPECT_TRUE(has_modern_meta(Json::parse(R"({"_meta":{"io.modelcontextprotocol/protocolVersion":"2030-01-01"}})")));
  EXPECT_TRUE(has_modern_meta(Json::parse(R"({"_meta":{"io.modelcontextprotocol/clientCapabilities":{}}})")));
  EXPECT_TRUE(has_modern_meta(Json::parse(R"({"_meta":{"io.modelcontextprotocol/clientInfo":{}}})")));
  EXPECT_FALSE(has_modern_meta(Json::parse(R"({"_meta":{"progressToken":1}})")));
  EXPECT_FALSE(has_modern_meta(Json::parse(R"({"_meta":[]})")));
  EXPECT_FALSE(has_modern_meta(Json::parse("{}")));
}

TEST(ModernHeaders, ThatMirrorTheBodyAreAccepted) {
  EXPECT_EQ(refusal_of_head({revision, "tools/list", {}, {}}, "tools/list"), "accepted");
  EXPECT_EQ(refusal_of_head({revision, "tools/call", "add", {}}, "tools/call", R"({"name":"add"})"), "accepted");
  EXPECT_EQ(refusal_of_head({revision, "prompts/get", "ask", {}}, "prompts/get", R"({"name":"ask"})"), "accepted");
  EXPECT_EQ(refusal_of_head({revision, "resources/read", "a://b", {}}, "resources/read", R"({"uri":"a://b"})"),
            "accepted");
}

TEST(ModernHeaders, AreRefusedWhereTheyAreMissing) {
  EXPECT_EQ(refusal_of_head({}, "tools/list"), "Header mismatch: the MCP-Protocol-Version header is missing");
  EXPECT_EQ(refusal_of_head({revision, {}, {}, {}}, "tools/list"), "Header mismatch: the Mcp-Method header is missing");
  EXPECT_EQ(refusal_of_head({revision, "tools/call", {}, {}}, "tools/call", R"({"name":"add"})"),
            "Header mismatch: the Mcp-Name header is missing; it must mirror params.name");
  EXPECT_EQ(refusal_of_head({revision, "resources/read", {}, {}}, "resources/read", R"({"uri":"a://b"})"),
            "Header mismatch: the Mcp-Name header is missing; it must mirror params.uri");
}

TEST(ModernHeaders, AreRefusedWhereTheyDiffer) {
  EXPECT_EQ(refusal_of_head({"2025-11-25", "tools/list", {}, {}}, "tools/list"),
            "Header mismatch: MCP-Protocol-Version header value '2025-11-25' does not match body value '2026-07-28'");
  EXPECT_EQ(refusal_of_head({revision, "tools/list", {}, {}}, "tools/call"),
            "Header mismatch: Mcp-Method header value 'tools/list' does not match body value 'tools/call'");
  EXPECT_EQ(refusal_of_head({revision, "Tools/List", {}, {}}, "tools/list"),
            "Header mismatch: Mcp-Method header value 'Tools/List' does not match body value 'tools/list'");
  EXPECT_EQ(refusal_of_head({revision, "tools/call", "sub", {}}, "tools/call", R"({"name":"add"})"),
            "Header mismatch: Mcp-Name header value 'sub' does not match body value 'add'");
}

TEST(ModernHeaders, MayCarryANameInBase64) {
  EXPECT_EQ(refusal_of_head({revision, "resources/read", "=?base64?YTovL8Ok?=", {}}, "resources/read",
                            "{\"uri\":\"a://\xC3\xA4\"}"),
            "accepted");
  EXPECT_EQ(refusal_of_head({revision, "tools/call", "=?base64?YWRk?=", {}}, "tools/call", R"({"name":"add"})"),
            "accepted");
  EXPECT_EQ(refusal_of_head({revision, "tools/call", "=?base64?YWR?=", {}}, "tools/call", R"({"name":"add"})"),
            "Header mismatch: the Mcp-Name header is neither plain ASCII nor valid =?base64?...?=");
  EXPECT_EQ(
      refusal_of_head({revision, "resources/read", "a://\xC3\xA4", {}}, "resources/read", "{\"uri\":\"a://\xC3\xA4\"}"),
      "Header mismatch: the Mcp-Name header is neither plain ASCII nor valid =?base64?...?=");
}

TEST(ModernHeaders, LeaveABodyWithoutANameToTheMethod) {
  EXPECT_EQ(refusal_of_head({revision, "tools/call", {}, {}}, "tools/call", R"({"name":7})"), "accepted");
}

}  // namespace
}  // namespace mcph
