#include "app/serving_checks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace mcph {
namespace {

TEST(CheckReachability, RefusesEachListenerThatOthersReach) {
  Config config;
  EXPECT_TRUE(check_reachability(config).empty());
  config.http.listen.address = "0.0.0.0";
  config.access.loopback_only = false;
  config.admin.listen = config.http.listen;
  config.dashboard.listen = config.http.listen;
  std::vector<std::string> pointers;
  for (const auto& mistake : check_reachability(config))
    pointers.push_back(mistake.pointer);
  EXPECT_THAT(pointers, ::testing::ElementsAre("/admin/listen", "/dashboard/listen", "/http/listen"));
}

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
