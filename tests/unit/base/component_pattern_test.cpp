#include "base/component_pattern.hpp"

#include <gtest/gtest.h>

namespace mcph {
namespace {

using Kind = ComponentPattern::Kind;

TEST(ComponentPattern, MatchesNamesOfItsKind) {
  const auto deploy = *ComponentPattern::read("tool:de*y*");
  EXPECT_TRUE(deploy.matches(Kind::tool, "deploy"));
  EXPECT_TRUE(deploy.matches(Kind::tool, "delay_it"));
  EXPECT_FALSE(deploy.matches(Kind::tool, "deplo"));
  EXPECT_FALSE(deploy.matches(Kind::tool, "a deploy"));
  EXPECT_FALSE(deploy.matches(Kind::prompt, "deploy"));
  EXPECT_TRUE(ComponentPattern::read("*")->matches(Kind::prompt, ""));
  EXPECT_TRUE(ComponentPattern().matches(Kind::resource, "a://b"));
}

TEST(ComponentPattern, MatchesUrisInTheirOneForm) {
  const auto docs = *ComponentPattern::read("resource:docs://%7euser/ü*");
  EXPECT_TRUE(docs.matches(Kind::resource, "docs://~user/%C3%BC/a"));
  EXPECT_TRUE(docs.matches_some("docs://"));
  EXPECT_FALSE(docs.matches_all("docs://"));
  EXPECT_TRUE(docs.matches_all("docs://~user/%C3%BC"));
}

TEST(ComponentPattern, IsNothingElse) {
  for (const auto* text : {"", "tool", "tool:", "tools:a", ":a", "a*"}) {
    const auto read = ComponentPattern::read(text);
    ASSERT_TRUE(read.has_error()) << text;
    EXPECT_EQ(read.error().message,
              "is no pattern of components; write tool:calculate, tool:read_*, resource:docs://*, prompt:* or *");
  }
}

}  // namespace
}  // namespace mcph
