#include "protocol/request_meta.hpp"

#include <gtest/gtest.h>

#include "support/json_value.hpp"

namespace mcph {
namespace {

std::string refusal_of_meta(const char* params) {
  const auto taken = read_caller(test::json_value(params));
  if (taken.has_value()) return "accepted";
  EXPECT_EQ(taken.error().code, -32602);
  return taken.error().message;
}

TEST(ModernMeta, SaysWhoTheClientIs) {
  const auto params = test::json_value(R"({"name":"add","_meta":{
      "io.modelcontextprotocol/protocolVersion":"2026-07-28",
      "io.modelcontextprotocol/clientCapabilities":{"roots":{}},
      "io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"},
      "progressToken":1}})");
  const auto caller = *read_caller(params);
  EXPECT_EQ(other_meta(params).dump(), R"({"progressToken":1})");
  EXPECT_EQ(caller.protocol_version, "2026-07-28");
  EXPECT_EQ(caller.capabilities.dump(), R"({"roots":{}})");
  EXPECT_EQ(caller.client.dump(), R"({"name":"c","version":"1"})");
}

TEST(ModernMeta, MayLackTheClientsInfoAndAnythingOfTheRequestsOwn) {
  const auto params = test::json_value(R"({"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",
                                         "io.modelcontextprotocol/clientCapabilities":{}}})");
  const auto caller = *read_caller(params);
  EXPECT_TRUE(caller.client.is_null());
  EXPECT_TRUE(other_meta(params).is_null());
}

TEST(ModernMeta, HasABoundOfTextAndOneOfValues) {
  const auto refusal = [](const std::string& meta) {
    const auto checked = check_meta(test::json_value(R"({"_meta":)" + meta + "}"));
    return checked.has_error() ? checked.error().message : "";
  };
  EXPECT_EQ(refusal("[" + std::string(max_meta_bytes - 4, ' ') + "7]"), "");
  EXPECT_EQ(refusal("[\"" + std::string(max_meta_bytes, 'x') + "\"]"),
            "Invalid params: params._meta has 65540 bytes, and may have 65536");
  std::string values = "[{}";
  for (std::size_t i = 2; i < max_meta_values; ++i)
    values += ",{}";
  EXPECT_EQ(refusal(values + "]"), "");
  EXPECT_EQ(refusal(values + ",{}]"), "Invalid params: params._meta has 2001 values, and may have 2000");
}

// A picture in a data: URI, which a client sends with each request.
TEST(ModernMeta, MayHaveIconsOfTheClientOfAnySizeWhichAreNotKept) {
  const auto params = [](const std::string& client) {
    return test::json_value(R"({"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",
      "io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{)" +
                            client + R"("name":"c"}}})");
  };
  const std::string large(max_meta_bytes, 'x');
  std::string many = "0";
  for (std::size_t i = 0; i < max_meta_values; ++i)
    many += ",0";
  for (const auto& icons : {R"([{"src":"data:image/png;base64,)" + large + "\"}]", "[" + many + "]"}) {
    const auto with_icons = params(R"("icons":)" + icons + ",");
    EXPECT_FALSE(check_meta(with_icons).has_error());
    EXPECT_EQ(read_caller(with_icons)->client.dump(), R"({"name":"c"})");
  }
  EXPECT_TRUE(check_meta(params(R"("title":")" + large + "\",")).has_error());
}

TEST(ModernMeta, SaysFromWhichSeverityOnTheClientWantsToHear) {
  const auto params = test::json_value(R"({"_meta":{"io.modelcontextprotocol/logLevel":"warning","progressToken":1}})");
  EXPECT_EQ(*read_log_level_in(params), LogLevel::warning);
  EXPECT_EQ(other_meta(params).dump(), R"({"progressToken":1})");
  EXPECT_EQ(*read_log_level_in(test::json_value("{}")), std::nullopt);
}

TEST(RequestMeta, IsRefusedForAProgressTokenThatIsNone) {
  const auto refusal = [](const std::string& token) {
    const auto checked = check_meta(test::json_value(R"({"_meta":{"progressToken":)" + token + "}}"));
    return checked.has_error() ? std::to_string(checked.error().code) + " " + checked.error().message : "";
  };
  for (const auto* const token : {R"("t")", "7", "1.5", "null"})
    EXPECT_EQ(refusal(token), "") << token;
  for (const auto* const none : {"{}", "[7]", "true"})
    EXPECT_EQ(refusal(none), "-32602 Invalid params: params._meta.progressToken must be a string or an integer");
}

TEST(ModernMeta, IsRefusedForASeverityThatDoesNotExist) {
  for (const auto* const level : {R"("loud")", R"("Warning")", "3", "null"}) {
    const auto params =
        test::json_value(R"({"_meta":{"io.modelcontextprotocol/logLevel":)" + std::string(level) + "}}");
    const auto error = read_log_level_in(params).error();
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
  EXPECT_TRUE(
      has_modern_meta(test::json_value(R"({"_meta":{"io.modelcontextprotocol/protocolVersion":"2030-01-01"}})")));
  EXPECT_TRUE(has_modern_meta(test::json_value(R"({"_meta":{"io.modelcontextprotocol/clientCapabilities":{}}})")));
  EXPECT_TRUE(has_modern_meta(test::json_value(R"({"_meta":{"io.modelcontextprotocol/clientInfo":{}}})")));
  EXPECT_FALSE(has_modern_meta(test::json_value(R"({"_meta":{"progressToken":1}})")));
  EXPECT_FALSE(has_modern_meta(test::json_value(R"({"_meta":[]})")));
  EXPECT_FALSE(has_modern_meta(test::json_value("{}")));
}

}  // namespace
}  // namespace mcph
