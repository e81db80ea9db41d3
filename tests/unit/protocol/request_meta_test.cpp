#include "protocol/request_meta.hpp"

#include <gtest/gtest.h>

namespace mcph {
namespace {

std::string refusal_of_meta(const char* params) {
  auto json = Json::parse(params);
  const auto taken = take_caller(json);
  if (taken.has_value()) return "accepted";
  EXPECT_EQ(taken.error().code, -32602);
  return taken.error().message;
}

TEST(ModernMeta, IsTakenOutOfTheParams) {
  auto params = Json::parse(R"({"name":"add","_meta":{
      "io.modelcontextprotocol/protocolVersion":"2026-07-28",
      "io.modelcontextprotocol/clientCapabilities":{"roots":{}},
      "io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"},
      "progressToken":1}})");
  const auto caller = *take_caller(params);
  EXPECT_EQ(params.dump(), R"({"_meta":{"progressToken":1},"name":"add"})");
  EXPECT_EQ(caller.protocol_version, "2026-07-28");
  EXPECT_EQ(caller.capabilities.dump(), R"({"roots":{}})");
  EXPECT_EQ(caller.client.dump(), R"({"name":"c","version":"1"})");
}

TEST(ModernMeta, MayLackTheClientsInfoAndAnythingOfTheRequestsOwn) {
  auto params = Json::parse(R"({"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",
                                         "io.modelcontextprotocol/clientCapabilities":{}}})");
  const auto caller = *take_caller(params);
  EXPECT_TRUE(caller.client.is_null());
  EXPECT_EQ(params.dump(), "{}");
}

TEST(ModernMeta, SaysFromWhichSeverityOnTheClientWantsToHear) {
  auto params = Json::parse(R"({"_meta":{"io.modelcontextprotocol/logLevel":"warning","progressToken":1}})");
  EXPECT_EQ(*take_log_level(params), LogLevel::warning);
  EXPECT_EQ(params.dump(), R"({"_meta":{"progressToken":1}})");
  EXPECT_EQ(*take_log_level(params), std::nullopt);
}

TEST(ModernMeta, IsRefusedForASeverityThatDoesNotExist) {
  for (const auto* const level : {R"("loud")", R"("Warning")", "3", "null"}) {
    auto params = Json::parse(R"({"_meta":{"io.modelcontextprotocol/logLevel":)" + std::string(level) + "}}");
    const auto error = take_log_level(params).error();
    EXPECT_EQ(error.code, -32602);
    EXPECT_EQ(error.message, "Invalid params: " + std::string(level) +
                                 " is no log level; it is one of debug, info, notice, warning, error, critical, alert, "
                                 "emergency");
  }
}

TEST(ModernMeta, IsRefusedForEveryRequiredField) {
  for (const auto* const params :
       {"{}", R"({"_meta":[]})", R"({"_meta":{}})", R"({"_meta":{"io.modelcontextprotocol/protocolVersion":20260728}})",
        R"({"_meta":{"io.modelcontextprotocol/clientCapabilities":{}}})"}) {
    EXPECT_EQ(refusal_of_meta(params),
              "Invalid params: params._meta must be an object with the string io.modelcontextprotocol/protocolVersion "
              "and the object io.modelcontextprotocol/clientCapabilities")
        << params;
  }
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

}  // namespace
}  // namespace mcph
