#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <mcp/plugin/testing.hpp>

#include "prompts/code_language.hpp"
#include "prompts/setup.hpp"

namespace plugins::prompts {
namespace {

using testing::HasSubstr;
using testing::Not;

class Prompts : public testing::Test {
 protected:
  mcp::testing::Harness harness_{setup};
};

TEST_F(Prompts, GreetingNeedsNoArgument) {
  const auto outcome = harness_.get_prompt("greeting");
  ASSERT_TRUE(outcome.ok()) << outcome.text();
  EXPECT_THAT(outcome.text(), HasSubstr("Hello! \U0001F44B It is lovely"));
}

TEST_F(Prompts, GreetingHasStyles) {
  const auto greeting = [this](const std::string& style) {
    return harness_.get_prompt("greeting", {{"name", "Alice"}, {"style", style}}).text();
  };
  EXPECT_THAT(greeting("friendly"), HasSubstr("Hello Alice! \U0001F44B"));
  EXPECT_THAT(greeting("formal"), HasSubstr("Good day, Alice. It is a pleasure"));
  EXPECT_THAT(greeting("casual"), HasSubstr("Hey Alice!"));
  EXPECT_THAT(greeting("pirate"), HasSubstr("Ahoy, Alice!"));
}

TEST_F(Prompts, UnknownStyleIsAnErrorThatNamesTheKnownOnes) {
  const auto outcome = harness_.get_prompt("greeting", {{"style", "klingon"}});
  EXPECT_EQ(outcome.error_code(), -32602);
  EXPECT_EQ(outcome.text(), "Argument \"style\" must be one of: formal, casual, friendly, pirate");
}

TEST_F(Prompts, OfferStylesAndLanguages) {
  using Values = std::vector<std::string>;
  EXPECT_EQ(harness_.complete_prompt("greeting", "style", "f").values(), (Values{"formal", "friendly"}));
  EXPECT_EQ(harness_.complete_prompt("code_review", "language", "C").values(), (Values{"c", "c++", "c#", "css"}));
  EXPECT_EQ(harness_.complete_prompt("code_review", "focus", "").values(), Values{});
}

TEST_F(Prompts, CodeReviewEmbedsTheCode) {
  const auto outcome =
      harness_.get_prompt("code_review", {{"code", "int main() {}"}, {"language", "C++"}, {"focus", "style"}});
  const auto& messages = outcome.json["messages"];
  ASSERT_EQ(messages.size(), 2U);
  EXPECT_THAT(messages[0]["content"]["text"].get<std::string>(), HasSubstr("Review the c++ code"));
  EXPECT_THAT(messages[0]["content"]["text"].get<std::string>(), HasSubstr("above all: style."));
  EXPECT_EQ(messages[1]["content"]["type"], "resource");
  EXPECT_EQ(messages[1]["content"]["resource"],
            (mcp::Json{{"uri", "snippet://code.cpp"}, {"mimeType", "text/x-c++"}, {"text", "int main() {}"}}));
}

TEST_F(Prompts, CodeReviewOfAnUnnamedLanguageIsPlainText) {
  const auto outcome = harness_.get_prompt("code_review", {{"code", "x"}});
  EXPECT_EQ(outcome.json["messages"][1]["content"]["resource"]["mimeType"], "text/plain");
  EXPECT_THAT(outcome.text(), HasSubstr("Review the code in"));
}

TEST_F(Prompts, SummarizeEndsWithTheText) {
  const auto text = harness_.get_prompt("summarize", {{"text", "It rained."}, {"length", "five words"}}).text();
  EXPECT_THAT(text, HasSubstr("in five words, for a reader"));
  EXPECT_TRUE(text.ends_with("---\nIt rained.")) << text;
}

TEST_F(Prompts, ExplainErrorLeavesOutWhatWasNotGiven) {
  EXPECT_THAT(harness_.get_prompt("explain_error", {{"error", "EACCES"}}).text(), Not(HasSubstr("What led to it")));
  EXPECT_THAT(harness_.get_prompt("explain_error", {{"error", "EACCES"}, {"context", "make install"}}).text(),
              HasSubstr("What led to it:\nmake install"));
}

TEST_F(Prompts, DescribeSaysWhatIsRequired) {
  const auto prompts = harness_.describe()["prompts"];
  ASSERT_EQ(prompts.size(), 4U);
  EXPECT_EQ(prompts[1]["name"], "code_review");
  EXPECT_EQ(prompts[1]["arguments"][0]["required"], true);
  EXPECT_FALSE(prompts[1]["arguments"][1].contains("required"));
}

TEST(CodeLanguage, KnowsNamesAndEndingsInAnyCase) {
  EXPECT_EQ(code_language("Python").mime_type, "text/x-python");
  EXPECT_EQ(code_language("PY").mime_type, "text/x-python");
  EXPECT_EQ(code_language("cpp").name, "c++");
  EXPECT_EQ(code_language("brainfuck").mime_type, "text/plain");
}

}  // namespace
}  // namespace plugins::prompts
