#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <mcp/plugin/testing.hpp>

#include "profile/setup.hpp"

namespace plugins::profile {
namespace {

using testing::HasSubstr;

class Profile : public testing::Test {
 protected:
  void ada_calls() {
    harness_.set_caller({.id = "https://login.example.com#7",
                         .groups = {"staff"},
                         .roles = {"user"},
                         .subject = "7",
                         .name = "Ada",
                         .email = "ada@example.com"});
  }

  mcp::testing::Harness harness_{setup};
};

TEST_F(Profile, SaysWhoAsks) {
  ada_calls();
  const auto outcome = harness_.read("user://profile");
  ASSERT_TRUE(outcome.ok()) << outcome.text();
  EXPECT_EQ(mcp::Json::parse(outcome.json["contents"][0]["text"].get<std::string>()),
            (mcp::Json{{"sub", "7"},
                       {"id", "https://login.example.com#7"},
                       {"name", "Ada"},
                       {"email", "ada@example.com"},
                       {"groups", {"staff"}},
                       {"roles", {"user"}}}));
}

TEST_F(Profile, TellsTheModel) {
  ada_calls();
  EXPECT_THAT(harness_.get_prompt("user-context").text(), HasSubstr("Welcome this user"));
  const auto status = harness_.get_prompt("user-context", {{"messageType", "status"}});
  EXPECT_THAT(status.text(), HasSubstr("which roles they have"));
  EXPECT_THAT(status.text(), HasSubstr("ada@example.com"));
  EXPECT_EQ(harness_.get_prompt("user-context", {{"messageType", "novel"}}).error_code(), -32602);
}

TEST_F(Profile, RefusesWhoeverHasProvenNothing) {
  EXPECT_EQ(harness_.read("user://profile").error_code(), -32602);
  EXPECT_THAT(harness_.get_prompt("user-context").text(), HasSubstr("Nobody has proven who they are"));
}

}  // namespace
}  // namespace plugins::profile
