#include "protocol/capabilities.hpp"

#include <gtest/gtest.h>

namespace mcph {
namespace {

std::string missing(const char* requests, const char* capabilities) {
  return missing_capabilities(OrderedJson::parse(requests), Json::parse(capabilities)).dump();
}

constexpr auto form_question = R"({"a":{"method":"elicitation/create","params":{"message":"Name?"}}})";
constexpr auto url = R"({"a":{"method":"elicitation/create","params":{"mode":"url","url":"https://example.org"}}})";

TEST(Capabilities, OfTheServerStateWhatWorks) {
  const auto common = Json::parse(R"({"tools":{"listChanged":true},"resources":{"listChanged":true,"subscribe":true},
      "prompts":{"listChanged":true},"logging":{},"completions":{}})");
  auto legacy = common;
  legacy["extensions"] = Json::parse(R"({"io.modelcontextprotocol/ui":{}})");
  EXPECT_EQ(Json::parse(server_capabilities(Catalog())), legacy);
  auto modern = common;
  modern["extensions"] = Json::parse(R"({"io.modelcontextprotocol/tasks":{},"io.modelcontextprotocol/ui":{}})");
  EXPECT_EQ(Json::parse(modern_server_capabilities(Catalog())), modern);
  modern["extensions"]["io.modelcontextprotocol/oauth-client-credentials"] = Json::object();
  EXPECT_EQ(Json::parse(modern_server_capabilities(Catalog(), {"oauth-client-credentials"})), modern);
}

TEST(Capabilities, ThatAnInputRequestNeedsAreNamed) {
  EXPECT_EQ(missing(form_question, "{}"), R"({"elicitation":{"form":{}}})");
  EXPECT_EQ(missing(R"({"a":{"method":"sampling/createMessage"}})", "{}"), R"({"sampling":{}})");
  EXPECT_EQ(missing(R"({"a":{"method":"roots/list"}})", "{}"), R"({"roots":{}})");
}

TEST(Capabilities, ThatTheClientHasAreNotMissing) {
  EXPECT_EQ(missing(form_question, R"({"elicitation":{}})"), "{}");
  EXPECT_EQ(missing(R"({"a":{"method":"sampling/createMessage"}})", R"({"sampling":{"tools":{}}})"), "{}");
  EXPECT_EQ(missing(R"({"a":{"method":"roots/list"}})", R"({"roots":{"listChanged":true}})"), "{}");
}

TEST(Capabilities, ForUrlsAreApartFromThoseForForms) {
  EXPECT_EQ(missing(url, R"({"elicitation":{}})"), R"({"elicitation":{"url":{}}})");
  EXPECT_EQ(missing(url, R"({"elicitation":{"form":{}}})"), R"({"elicitation":{"url":{}}})");
  EXPECT_EQ(missing(url, R"({"elicitation":{"url":{}}})"), "{}");
  EXPECT_EQ(missing(form_question, R"({"elicitation":{"url":{}}})"), R"({"elicitation":{"form":{}}})");
  EXPECT_EQ(missing(form_question, R"({"elicitation":{"form":{},"url":{}}})"), "{}");
}

TEST(Capabilities, ForSamplingWithToolsAreApartFromThoseForSampling) {
  constexpr auto with_tools = R"({"a":{"method":"sampling/createMessage","params":{"tools":[]}}})";
  EXPECT_EQ(missing(with_tools, R"({"sampling":{}})"), R"({"sampling":{"tools":{}}})");
  EXPECT_EQ(missing(with_tools, R"({"sampling":{"tools":{}}})"), "{}");
}

TEST(Capabilities, ForSamplingWithToolsAreNeededForWhatToolsHaveSaid) {
  const auto needs = [](const std::string& content) {
    const auto asked = R"({"a":{"method":"sampling/createMessage","params":{"messages":[{"role":"user","content":)" +
                       content + "}]}}}";
    return missing(asked.c_str(), R"({"sampling":{}})");
  };
  EXPECT_EQ(needs(R"({"type":"text","text":"hi"})"), "{}");
  EXPECT_EQ(needs(R"({"type":"tool_result"})"), R"({"sampling":{"tools":{}}})");
  EXPECT_EQ(needs(R"([{"type":"text","text":"hi"},{"type":"tool_use"}])"), R"({"sampling":{"tools":{}}})");
}

TEST(Capabilities, ThatAnotherServerSaysAreMissingAreIfTheClientLacksThem) {
  const auto of_error = [](const char* data, const char* capabilities) {
    return missing_capabilities_in(Json::parse(data), Json::parse(capabilities)).dump();
  };
  constexpr auto elicitation = R"({"requiredCapabilities":{"elicitation":{}}})";
  EXPECT_EQ(of_error(elicitation, "{}"), R"({"elicitation":{}})");
  EXPECT_EQ(of_error(elicitation, R"({"elicitation":{}})"), "{}");
  EXPECT_EQ(of_error(R"({"requiredCapabilities":{"roots":{},"theirs":{}}})", "{}"), R"({"roots":{}})");
  for (const auto* const data :
       {"null", "{}", "[]", R"({"requiredCapabilities":7})", R"({"requiredCapabilities":{"roots":1}})",
        R"({"requiredCapabilities":{"elicitation":{"form":5}}})",
        R"({"requiredCapabilities":{"sampling":{"tools":{"a":[{}]}}}})"})
    EXPECT_EQ(of_error(data, "{}"), "{}");
}

TEST(Capabilities, ThatAreNoObjectDoNotCount) {
  EXPECT_EQ(missing(form_question, R"({"elicitation":true})"), R"({"elicitation":{"form":{}}})");
}

TEST(Capabilities, OfSeveralInputRequestsAreGathered) {
  EXPECT_EQ(missing(R"({"a":{"method":"elicitation/create","params":{"mode":"url"}},"b":{"method":"roots/list"},
                        "c":{"method":"elicitation/create"},"d":{"method":"sampling/createMessage"}})",
                    R"({"sampling":{}})"),
            R"({"elicitation":{"form":{},"url":{}},"roots":{}})");
}

TEST(Capabilities, ThatAreMissingAreToldInWords) {
  const auto words = [](const char* missing) { return in_words(Json::parse(missing)); };
  EXPECT_EQ(words(R"({"elicitation":{"form":5}})"), R"(capability "elicitation.form")");
  EXPECT_EQ(words(R"({"roots":{}})"), R"(capability "roots")");
  EXPECT_EQ(words(R"({"elicitation":{"form":{}}})"), R"(capability "elicitation.form")");
  EXPECT_EQ(words(R"({"extensions":{"io.modelcontextprotocol/tasks":{}}})"),
            R"(capability "extensions.io.modelcontextprotocol/tasks")");
  EXPECT_EQ(words(R"({"elicitation":{"form":{},"url":{}},"roots":{}})"),
            R"(capabilities "elicitation.form", "elicitation.url" and "roots")");
}

}  // namespace
}  // namespace mcph
