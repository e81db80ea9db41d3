#include "audit/arguments.hpp"

#include <gtest/gtest.h>

#include "base/json.hpp"

namespace mcph {
namespace {

TEST(AuditedArgumentsTest, TheLongestPatternThatMatchesDecides) {
  const AuditedArgumentRules rules{{"*", AuditedArguments::hash},
                                   {"tool:deploy*", AuditedArguments::full},
                                   {"tool:deploy_secret", AuditedArguments::off}};
  EXPECT_EQ(arguments_rule(rules, "tool:read"), AuditedArguments::hash);
  EXPECT_EQ(arguments_rule(rules, "prompt:deploy"), AuditedArguments::hash);
  EXPECT_EQ(arguments_rule(rules, "tool:deploy_all"), AuditedArguments::full);
  EXPECT_EQ(arguments_rule(rules, "tool:deploy_secret"), AuditedArguments::off);
  EXPECT_EQ(arguments_rule({}, "tool:deploy"), AuditedArguments::off);
  // Of two that are equally long the one that tells less.
  EXPECT_EQ(arguments_rule({{"tool:a*", AuditedArguments::off}, {"tool:*a", AuditedArguments::full}}, "tool:aba"),
            AuditedArguments::off);
  EXPECT_EQ(arguments_rule({{"tool:a*", AuditedArguments::full}, {"tool:*a", AuditedArguments::hash}}, "tool:aba"),
            AuditedArguments::hash);
}

TEST(AuditedArgumentsTest, PatternsAreOfToolsAndPrompts) {
  for (const auto* pattern : {"*", "tool:deploy", "tool:*", "prompt:a*"})
    EXPECT_TRUE(check_arguments_pattern(pattern).has_value()) << pattern;
  for (const auto* pattern : {"", "deploy", "tool:", "prompt:", "resource:*"})
    EXPECT_TRUE(check_arguments_pattern(pattern).has_error()) << pattern;
}

TEST(AuditedArgumentsTest, AreWrittenAsTheOperatorWantsThem) {
  const auto arguments = Json::parse(R"({"text":"secret","count":3,"ratio":0.5,"deep":{"yes":true,"no":null}})");
  EXPECT_EQ(audited_arguments(AuditedArguments::off, arguments), "");
  EXPECT_EQ(audited_arguments(AuditedArguments::full, arguments), arguments.dump());
  EXPECT_EQ(audited_arguments(AuditedArguments::redacted, arguments),
            R"({"count":"integer","deep":{"no":"null","yes":"boolean"},"ratio":"number","text":"string"})");
  EXPECT_EQ(audited_arguments(AuditedArguments::hash, Json::parse("{}")),
            R"({"sha256":"44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"})");
}

TEST(AuditedArgumentsTest, OfLongOnesThereIsTheHash) {
  const Json arguments{{"text", std::string(max_audited_arguments, 'x')}};
  EXPECT_EQ(audited_arguments(AuditedArguments::full, arguments), audited_arguments(AuditedArguments::hash, arguments));
  EXPECT_EQ(audited_arguments(AuditedArguments::redacted, arguments), R"({"text":"string"})");
}

TEST(AuditedArgumentsTest, OfLongArraysTheBeginningIsShown) {
  Json arguments;
  for (int i = 0; i < 20; ++i)
    arguments["list"].push_back(i);
  const auto shown = Json::parse(audited_arguments(AuditedArguments::redacted, arguments));
  EXPECT_EQ(shown["list"].size(), 17U);
  EXPECT_EQ(shown["list"].back(), "and more");
}

}  // namespace
}  // namespace mcph
