#include "limits/limits.hpp"

#include <gtest/gtest.h>

#include "support/manual_clock.hpp"
#include "support/principals.hpp"

namespace mcph {
namespace {

using namespace std::chrono_literals;
using Kind = ComponentPattern::Kind;

constexpr std::string_view here = "an address";
constexpr std::string_view there = "another one";

LimitSetting rate(std::uint64_t count, std::uint64_t concurrent = 0) {
  return {.rate = Rate{.count = count, .period = 1min}, .concurrent = concurrent};
}

class LimitsTest : public ::testing::Test {
 protected:
  void set(const LimitSettings& settings) { limits_ = *Limits::create(settings, time_.clock(), limits_.get()); }
  SenderLimits of(std::string_view name, std::string_view address = here) const {
    return {limits_, test::principal(name), address};
  }
  static std::string refused_by(const LimitVerdict& verdict) {
    return verdict.refusal ? verdict.refusal->standing.limit : std::string();
  }

  test::ManualClock time_;
  std::shared_ptr<const Limits> limits_ = *Limits::create({}, time_.clock());
};

TEST_F(LimitsTest, AdmitAllWhereThereAreNone) {
  EXPECT_FALSE(limits_->any());
  EXPECT_FALSE(limits_->admit_from(here).refusal);
  EXPECT_FALSE(of("ada").admit_request().tightest);
}

TEST_F(LimitsTest, CountEachPrincipalByItself) {
  set({.per_principal = rate(2)});
  EXPECT_TRUE(limits_->any());
  EXPECT_EQ(of("ada").admit_request().tightest->remaining, 1U);
  of("ada", there).admit_request();
  const auto refused = of("ada").admit_request();
  ASSERT_TRUE(refused.refusal);
  EXPECT_EQ(refused.refusal->message, "Too many requests: limits.per_principal allows 2/min; try again in 30 s");
  const auto& standing = refused.refusal->standing;
  EXPECT_EQ(standing.limit, "limits.per_principal");
  EXPECT_EQ(standing.quota, 2U);
  EXPECT_EQ(standing.window, 60s);
  EXPECT_EQ(standing.reset, 30s);
  EXPECT_EQ(refused_by(of("bob").admit_request()), "");
  time_.advance(30s);
  EXPECT_EQ(refused_by(of("ada").admit_request()), "");
}

TEST_F(LimitsTest, CountTheProgramsOfASubjectTogether) {
  set({.per_principal = rate(1)});
  const auto by = [&](std::string client) {
    return SenderLimits(limits_, Principal({.issuer = "a", .subject = "ada", .client = std::move(client)}), here);
  };
  EXPECT_EQ(refused_by(by("one").admit_request()), "");
  EXPECT_EQ(refused_by(by("another").admit_request()), "limits.per_principal");
}

TEST_F(LimitsTest, CountThoseWhoHaveProvenNothingByTheirAddress) {
  set({.per_principal = rate(1)});
  EXPECT_EQ(refused_by(of("").admit_request()), "");
  EXPECT_EQ(refused_by(of("").admit_request()), "limits.per_principal");
  EXPECT_EQ(refused_by(of("", there).admit_request()), "");
}

TEST_F(LimitsTest, CountAnAddressBeforeAnybodyIsKnown) {
  set({.per_principal = rate(5), .per_address = rate(2), .all = rate(9)});
  EXPECT_EQ(refused_by(limits_->admit_from(here)), "");
  EXPECT_EQ(of("ada").admit_request().tightest->limit, "limits.per_address") << "it is the tightest";
  EXPECT_EQ(refused_by(limits_->admit_from(here)), "");
  EXPECT_EQ(refused_by(limits_->admit_from(here)), "limits.per_address");
  EXPECT_EQ(refused_by(limits_->admit_from(there)), "");
}

TEST_F(LimitsTest, CountWhatAnotherMessageOfARequestTakes) {
  set({.per_principal = rate(3), .per_address = rate(2)});
  ASSERT_FALSE(limits_->admit_from(here).refusal);
  ASSERT_FALSE(of("ada").admit_request().refusal);
  EXPECT_EQ(refused_by(of("ada").admit_further()), "");
  EXPECT_EQ(refused_by(of("ada").admit_further()), "limits.per_address");
  EXPECT_EQ(refused_by(of("ada", there).admit_further()), "") << "nothing was taken from what did not refuse";
}

TEST_F(LimitsTest, AdmitNothingFromWhereManyCredentialsHaveBeenRefused) {
  set({.failures = rate(2)});
  for (int i = 0; i < 10; ++i)
    EXPECT_EQ(refused_by(limits_->admit_from(here)), "");
  limits_->note_failure(here);
  limits_->note_failure(here);
  const auto refused = limits_->admit_from(here);
  ASSERT_TRUE(refused.refusal);
  EXPECT_EQ(refused.refusal->message, "Too many refused credentials: limits.failures allows 2/min; try again in 30 s");
  EXPECT_EQ(refused_by(limits_->admit_from(there)), "");
  time_.advance(30s);
  EXPECT_EQ(refused_by(limits_->admit_from(here)), "");
}

TEST_F(LimitsTest, SayNothingOfRefusedCredentialsToWhoIsAdmitted) {
  set({.failures = rate(2)});
  EXPECT_FALSE(limits_->admit_from(here).tightest);
  set({.per_address = rate(5), .failures = rate(2)});
  const auto admitted = limits_->admit_from(here);
  ASSERT_TRUE(admitted.tightest);
  EXPECT_EQ(admitted.tightest->limit, "limits.per_address");
  EXPECT_EQ(admitted.tightest->remaining, 4U);
}

TEST_F(LimitsTest, AdmitSoManyAtOnce) {
  set({.per_principal = {.concurrent = 2}, .per_address = {.concurrent = 3}});
  const auto first = of("ada").admit_request();
  auto second = of("ada").admit_request();
  const auto refused = of("ada").admit_request();
  ASSERT_TRUE(refused.refusal);
  EXPECT_EQ(refused.refusal->message,
            "Too many requests at once: limits.per_principal allows 2 in flight; try again when one has been answered");
  EXPECT_EQ(refused.refusal->standing.reset, 1s);
  EXPECT_TRUE(refused.places.empty());
  EXPECT_EQ(refused_by(of("bob").admit_request()), "");
  second = {};
  EXPECT_EQ(refused_by(of("ada").admit_request()), "");
}

TEST_F(LimitsTest, TakeNothingFromARateWhereTooManyAreInFlight) {
  set({.per_principal = rate(2, 1)});
  {
    const auto held = of("ada").admit_request();
    for (int i = 0; i < 5; ++i)
      EXPECT_TRUE(of("ada").admit_request().refusal->standing.is_concurrent);
  }
  EXPECT_EQ(refused_by(of("ada").admit_request()), "");
  const auto refused = of("ada").admit_request();
  ASSERT_TRUE(refused.refusal);
  EXPECT_FALSE(refused.refusal->standing.is_concurrent);
}

TEST_F(LimitsTest, CountCallsOfComponentsByWhatTheyMatch) {
  const auto component = [](const char* match, LimitScope per, std::vector<std::string> roles = {}) {
    return ComponentLimitSetting{.match = match, .per = per, .limit = rate(1), .roles = std::move(roles)};
  };
  set({.components = {{"deploys", component("tool:deploy*", LimitScope::principal)},
                      {"docs", component("resource:docs://*", LimitScope::all)},
                      {"guests", component("*", LimitScope::address, {"anonymous"})}}});
  EXPECT_EQ(refused_by(of("ada").admit_call(Kind::tool, "deploy_all")), "");
  EXPECT_EQ(refused_by(of("ada").admit_call(Kind::tool, "deploy")), "limits.component.deploys");
  EXPECT_EQ(refused_by(of("ada").admit_call(Kind::tool, "sum")), "");
  EXPECT_EQ(refused_by(of("bob").admit_call(Kind::tool, "deploy")), "");
  EXPECT_EQ(refused_by(of("ada").admit_call(Kind::resource, "docs://a")), "");
  EXPECT_EQ(refused_by(of("bob").admit_call(Kind::resource, "docs://b")), "limits.component.docs");
  EXPECT_EQ(refused_by(of("").admit_call(Kind::prompt, "a")), "");
  EXPECT_EQ(refused_by(of("").admit_call(Kind::prompt, "b")), "limits.component.guests");
  EXPECT_EQ(refused_by(of("", there).admit_call(Kind::prompt, "b")), "");
}

TEST_F(LimitsTest, HoldThoseWhoHaveARole) {
  set({.components = {{"guests", {.match = "*", .limit = rate(1), .roles = {"guest"}}}}});
  const auto call = [&](std::vector<std::string> roles) {
    const Principal principal({.issuer = "test", .subject = "ada", .roles = std::move(roles)});
    return refused_by(SenderLimits(limits_, principal, here).admit_call(Kind::tool, "sum"));
  };
  EXPECT_EQ(call({"user", "guest"}), "");
  EXPECT_EQ(call({"guest"}), "limits.component.guests");
  EXPECT_EQ(call({"user"}), "");
}

TEST_F(LimitsTest, GoOnWithTheBucketsOfALimitThatHasNotChanged) {
  LimitSettings settings{
      .per_principal = rate(1), .all = rate(1), .components = {{"sums", {.match = "tool:sum", .limit = rate(1)}}}};
  set(settings);
  ASSERT_FALSE(of("ada").admit_request().refusal);
  ASSERT_FALSE(of("ada").admit_call(Kind::tool, "sum").refusal);
  settings.all = rate(9);
  settings.components["others"] = {.match = "prompt:*", .limit = rate(1)};
  set(settings);
  EXPECT_EQ(refused_by(of("ada").admit_request()), "limits.per_principal");
  EXPECT_EQ(refused_by(of("ada").admit_call(Kind::tool, "sum")), "limits.component.sums");
  EXPECT_EQ(refused_by(of("bob").admit_request()), "") << "this one has changed";
  settings.per_principal = rate(2);
  set(settings);
  EXPECT_EQ(refused_by(of("ada").admit_request()), "");
}

TEST_F(LimitsTest, CountRequestsInFlightOnAcrossAChange) {
  set({.per_principal = {.concurrent = 2}});
  auto held = of("ada").admit_request();
  set({.per_principal = {.concurrent = 1}});
  EXPECT_EQ(refused_by(of("ada").admit_request()), "limits.per_principal");
  held = {};
  EXPECT_EQ(refused_by(of("ada").admit_request()), "");
}

TEST_F(LimitsTest, AreNotMadeOfWhatIsNoPattern) {
  const auto limits = Limits::create({.components = {{"x", {.match = "tools", .limit = rate(1)}}}}, time_.clock());
  ASSERT_TRUE(limits.has_error());
  EXPECT_EQ(limits.error().message.rfind("the pattern of limits.component.x is no pattern of components", 0), 0U);
}

}  // namespace
}  // namespace mcph
