#include "app/serving_checks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace mcph {
namespace {

TEST(RemarkOnRoles, IsMadeWhereNobodyOverHttpCanHaveOne) {
  Config config;
  EXPECT_EQ(remark_on_roles(config), "");
  config.roles["user"];
  config.stdio_roles = {"user"};
  EXPECT_THAT(remark_on_roles(config), ::testing::StartsWith("roles can be nobody's over HTTP"));
  auto with_tokens = config;
  with_tokens.tokens = "tokens.json";
  EXPECT_EQ(remark_on_roles(with_tokens), "");
  config.roles["anonymous"];
  EXPECT_EQ(remark_on_roles(config), "");
}

}  // namespace
}  // namespace mcph
