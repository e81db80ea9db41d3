#include "protocol/legacy/legacy_input_requests.hpp"

#include <gtest/gtest.h>

namespace mcph {
namespace {

const Json all_capabilities = {{"elicitation", {{"form", Json::object()}, {"url", Json::object()}}},
                               {"sampling", {{"tools", Json::object()}}},
                               {"roots", Json::object()}};

struct Fitted {
  OrderedJson request;
  std::string refusal = "none";
};

Fitted fit(const std::string& revision, const std::string& method, const std::string& params,
           const Json& capabilities = all_capabilities) {
  OrderedJson requests = {{"a", {{"method", method}, {"params", OrderedJson::parse(params)}}}};
  const auto refusal = fit_input_requests(requests, {revision, nullptr, capabilities});
  return {requests["a"], refusal.value_or("none")};
}

Fitted fit_form(const std::string& revision, const std::string& field) {
  return fit(revision, "elicitation/create",
             R"({"mode":"form","message":"?","requestedSchema":{"type":"object","properties":{"x":)" + field + "}}}");
}

constexpr auto titled = R"({"type":"string","oneOf":[{"const":"a","title":"A"},{"const":"b","title":"B"}]})";

TEST(LegacyInputRequests, StayAsTheyAreInTheNewestRevision) {
  const auto fitted = fit_form("2025-11-25", titled);
  EXPECT_EQ(fitted.refusal, "none");
  EXPECT_EQ(fitted.request["params"]["mode"], "form");
  EXPECT_EQ(fitted.request["params"]["requestedSchema"]["properties"]["x"], OrderedJson::parse(titled));
}

TEST(LegacyInputRequests, HaveTheTitlesOfAChoiceBesideItIn20250618) {
  const auto fitted = fit_form("2025-06-18", titled);
  EXPECT_EQ(
      fitted.request["params"].dump(),
      R"({"message":"?","requestedSchema":{"type":"object","properties":{"x":{"type":"string","enum":["a","b"],"enumNames":["A","B"]}}}})");
}

TEST(LegacyInputRequests, SayWhatARevisionDoesNotHave) {
  EXPECT_EQ(fit_form("2025-06-18", R"({"type":"array","items":{"enum":["a"]}})").refusal,
            "This needs a choice of several values in a form, which this client's protocol revision 2025-06-18 does "
            "not have");
  EXPECT_EQ(
      fit("2025-06-18", "elicitation/create", R"({"mode":"url","message":"?","url":"https://example.com"})").refusal,
      "This needs a page to visit, which this client's protocol revision 2025-06-18 does not have");
  EXPECT_EQ(fit_form("2025-03-26", R"({"type":"string"})").refusal,
            "This needs elicitation, which this client's protocol revision 2025-03-26 does not have");
  EXPECT_EQ(fit("2024-11-05", "sampling/createMessage",
                R"({"messages":[{"role":"user","content":{"type":"audio"}}],"maxTokens":1})")
                .refusal,
            "This needs audio, which this client's protocol revision 2024-11-05 does not have");
}

TEST(LegacyInputRequests, SayWhatTheClientCannotDo) {
  const auto url = R"({"mode":"url","message":"?","url":"https://example.com"})";
  EXPECT_EQ(fit("2025-11-25", "elicitation/create", url, {{"elicitation", Json::object()}}).refusal,
            "This needs client capabilities that this client does not declare: {\"elicitation\":{\"url\":{}}}");
  EXPECT_EQ(fit("2025-06-18", "roots/list", "{}", Json::object()).refusal,
            "This needs client capabilities that this client does not declare: {\"roots\":{}}");
}

// Where its parts have no meaning yet, one with members is that of forms, too.
TEST(LegacyInputRequests, AskForAFormWhoeverDeclaresElicitationIn20250618) {
  const auto form = R"({"message":"?","requestedSchema":{"type":"object","properties":{}}})";
  const Json capabilities{{"elicitation", {{"applyDefaults", true}}}};
  EXPECT_EQ(fit("2025-06-18", "elicitation/create", form, capabilities).refusal, "none");
  EXPECT_NE(fit("2025-11-25", "elicitation/create", form, capabilities).refusal, "none");
  EXPECT_NE(fit("2025-06-18", "elicitation/create", form, Json::object()).refusal, "none");
}

TEST(LegacyInputRequests, HaveStructuredContentThatIsAnObject) {
  const auto fitted =
      fit("2025-11-25", "sampling/createMessage",
          R"({"messages":[{"role":"user","content":[{"type":"tool_result","structuredContent":[1]},)"
          R"({"type":"tool_result","structuredContent":{"a":1}}]},)"
          R"({"role":"user","content":{"type":"tool_result","structuredContent":1}}],)"
          R"("tools":[{"name":"a","outputSchema":{"type":"array"}},{"name":"b","outputSchema":{"type":"object"}}]})");
  EXPECT_EQ(fitted.request["params"].dump(),
            R"({"messages":[{"role":"user","content":[{"type":"tool_result"},)"
            R"({"type":"tool_result","structuredContent":{"a":1}}]},)"
            R"({"role":"user","content":{"type":"tool_result"}}],)"
            R"("tools":[{"name":"a"},{"name":"b","outputSchema":{"type":"object"}}]})");
}

TEST(LegacyInputRequests, AskForContextOnlyWhoDeclaresIt) {
  const auto params = R"({"messages":[],"includeContext":"thisServer","maxTokens":1})";
  const auto asked = [&](const std::string& revision, const Json& sampling) {
    return fit(revision, "sampling/createMessage", params, {{"sampling", sampling}})
        .request["params"]
        .contains("includeContext");
  };
  EXPECT_FALSE(asked("2025-11-25", Json::object()));
  EXPECT_TRUE(asked("2025-11-25", {{"context", Json::object()}}));
  EXPECT_TRUE(asked("2025-06-18", Json::object())) << "the capability has no parts yet";
}

TEST(LegacyInputRequests, NameAPageThatThePluginHasNotNamed) {
  const auto url = R"({"mode":"url","message":"?","url":"https://example.com"})";
  const auto fitted = fit("2025-11-25", "elicitation/create", url);
  EXPECT_EQ(fitted.request["params"]["elicitationId"].get<std::string>().size(), 22U);
  const auto named = R"({"mode":"url","message":"?","url":"https://example.com","elicitationId":"mine"})";
  EXPECT_EQ(fit("2025-11-25", "elicitation/create", named).request["params"]["elicitationId"], "mine");
}

TEST(LegacyInputRequests, HaveOneContentAMessageBefore20251125) {
  const auto block = R"({"type":"text","text":"hi"})";
  const auto message = [&](const std::string& content) {
    return R"({"messages":[{"role":"user","content":)" + content + R"(}],"maxTokens":1})";
  };
  EXPECT_EQ(fit("2025-06-18", "sampling/createMessage", message("[" + std::string(block) + "]"))
                .request["params"]["messages"][0]["content"],
            OrderedJson::parse(block));
  EXPECT_EQ(
      fit("2025-06-18", "sampling/createMessage", message("[" + std::string(block) + "," + block + "]")).refusal,
      "This needs messages of several contents in sampling, which this client's protocol revision 2025-06-18 does not "
      "have");
}

}  // namespace
}  // namespace mcph
