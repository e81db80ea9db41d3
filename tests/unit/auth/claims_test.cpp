#include "auth/claims.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/json.hpp"

namespace mcph {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Claims, HaveGroupsWhereAPointerLeadsIfItLeadsAnywhere) {
  const std::chrono::system_clock::time_point now{std::chrono::seconds(1'785'240'000)};
  const Json claims = {{"iss", "https://issuer.example"},
                       {"sub", "ada"},
                       {"aud", "https://mcp.example"},
                       {"exp", 1'785'250'000},
                       {"realm", {{"groups", {"a", "b"}}}}};
  const auto groups = [&](const std::string& where) {
    const IssuerSettings issuer{.issuer = "https://issuer.example", .groups_claim = where};
    const auto identity =
        identity_of_token(JsonDocument::of(claims).root(), "at+jwt", issuer, {"https://mcp.example"}, now);
    EXPECT_TRUE(identity.has_value()) << (identity.has_error() ? identity.error().message : "");
    return identity.has_value() ? identity->groups : std::vector<std::string>();
  };
  EXPECT_THAT(groups("/realm/groups"), ElementsAre("a", "b"));
  EXPECT_THAT(groups("/realm/groups/1"), ElementsAre("b"));
  for (const auto* nowhere : {"/realm/groups/2", "/realm/groups/99999999999999999999999", "/realm/groups/-", "/iss/0"})
    EXPECT_THAT(groups(nowhere), IsEmpty()) << nowhere;
}

TEST(Claims, HaveTheIdOfTheTokenIfItHasOne) {
  const std::chrono::system_clock::time_point now{std::chrono::seconds(1'785'240'000)};
  const IssuerSettings issuer{.issuer = "https://issuer.example"};
  const auto id_in = [&](Json claims) {
    claims.update({{"iss", "https://issuer.example"}, {"sub", "ada"}, {"aud", "api"}, {"exp", 1'785'250'000}});
    const auto document = JsonDocument::of(claims);
    const auto signed_one = identity_of_token(document.root(), "at+jwt", issuer, {"api"}, now);
    const auto asked_about = identity_of_answer(document.root(), issuer, {"api"}, now);
    EXPECT_TRUE(signed_one && asked_about);
    EXPECT_EQ(signed_one->credential, asked_about->credential);
    return signed_one->credential;
  };
  EXPECT_EQ(id_in({{"jti", "a1"}}), "a1");
  EXPECT_EQ(id_in({{"jti", 7}}), "");
  EXPECT_EQ(id_in(Json::object()), "");
}

// basic/authorization, "Canonical Server URI".
TEST(Claims, MayWriteTheOriginOfTheServerInCapitals) {
  const std::chrono::system_clock::time_point now{std::chrono::seconds(1'785'240'000)};
  const IssuerSettings issuer{.issuer = "https://issuer.example"};
  const auto is_good = [&](const std::string& audience) {
    const Json claims = {{"iss", "https://issuer.example"}, {"sub", "ada"}, {"aud", audience}, {"exp", 1'785'250'000}};
    const std::vector<std::string> audiences{"https://mcp.example:8443/mcp", "https://Other.example/x", "api://App"};
    return identity_of_token(JsonDocument::of(claims).root(), "at+jwt", issuer, audiences, now).has_value();
  };
  EXPECT_TRUE(is_good("https://Other.example/x"));
  EXPECT_TRUE(is_good("api://App"));
  EXPECT_FALSE(is_good("api://app"));
  EXPECT_TRUE(is_good("https://mcp.example:8443/mcp"));
  EXPECT_TRUE(is_good("HTTPS://MCP.example:8443/mcp"));
  EXPECT_FALSE(is_good("https://mcp.example:8443/MCP"));
  EXPECT_FALSE(is_good("https://mcp.example:8443"));
}

}  // namespace
}  // namespace mcph
