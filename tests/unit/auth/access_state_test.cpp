#include "auth/access_state.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "auth/own_issuers.hpp"
#include "auth/token.hpp"
#include "catalog/components.hpp"
#include "support/recording_log.hpp"

namespace mcph {
namespace {

using namespace std::chrono_literals;

class AccessStateTest : public ::testing::Test {
 protected:
  using Time = AccessState::Time;

  std::string give_token(std::string subject, std::optional<Time> expiry = {}, std::optional<Time> revoked = {}) {
    const auto token = make_token();
    tokens_.push_back({.id = std::string(*token_id(token)),
                       .subject = std::move(subject),
                       .roles = {"user"},
                       .digest = token_digest(token),
                       .created = now_,
                       .expiry = expiry,
                       .revoked = revoked});
    return token;
  }
  static std::shared_ptr<const RolePolicy> roles(const RoleTexts& texts) { return *RolePolicy::compile(texts); }
  std::shared_ptr<const AccessState> state(bool with_anonymous = false) const {
    RoleTexts texts{{"user", {.allow = {{.match = "resource:docs://*"}}}}};
    if (with_anonymous) texts.emplace("anonymous", RoleText{.allow = {{.match = "resource:docs://open/*"}}});
    return AccessState::with_credentials(roles(texts), {.tokens = tokens_});
  }
  // Who it is; or the error.
  std::string outcome(const AccessState& state, std::optional<std::string_view> authorization) const {
    const auto found = state.authenticate({.authorization = authorization}, now_);
    if (found) return found->is_anonymous() ? "anonymous" : found->id();
    const bool missing = found.error().kind == CredentialError::Kind::missing;
    return missing ? "missing" : "invalid: " + found.error().description;
  }

  const Time now_{1'000'000s};
  TokenRecords tokens_;
};

TEST_F(AccessStateTest, KnowsWhoHasAToken) {
  const auto token = give_token("ada");
  EXPECT_EQ(outcome(*state(), "Bearer " + token), "host#ada");
  EXPECT_EQ(outcome(*state(), "bEARER   " + token), "host#ada");
}

TEST_F(AccessStateTest, TellsWhyACredentialIsRefusedAndNoPartOfIt) {
  test::RecordingLog log;
  const auto good = give_token("ada");
  const auto revoked = give_token("bob", std::nullopt, now_ - 1s);
  const auto state = AccessState::with_credentials(roles({{"user", RoleText{.allow = {{.match = "*"}}}}}),
                                                   {.tokens = tokens_, .log = &log});
  const auto ask = [&](std::optional<std::string_view> authorization) {
    return state->authenticate({.authorization = authorization, .source = *IpAddress::read("10.1.2.3")}, now_)
        .has_value();
  };
  const auto bearer_good = "Bearer " + good;
  EXPECT_TRUE(ask(bearer_good));
  const auto bearer_revoked = "Bearer " + revoked;
  EXPECT_FALSE(ask(bearer_revoked));
  EXPECT_FALSE(ask("Bearer other"));
  EXPECT_FALSE(ask(std::nullopt));
  EXPECT_EQ(log.count("credential refused"), 3U);
  EXPECT_EQ(log.count("credential refused source=10.1.2.3 reason=the token has been revoked token=" +
                      std::string(*token_id(revoked))),
            1U);
  EXPECT_EQ(log.count("credential refused source=10.1.2.3 reason=it is no token of this server"), 1U);
  EXPECT_EQ(log.count("credential refused source=10.1.2.3 reason=there is none"), 1U);
}

TEST_F(AccessStateTest, LetsWhoeverHasComeByTheControlSocketUseEverything) {
  const Principal somebody({.issuer = std::string(operator_issuer), .subject = "control-socket"});
  EXPECT_TRUE(state()->is_good(somebody, now_));
  EXPECT_EQ(state()->rights_of(somebody), nullptr);
  const Principal other({.issuer = "operators", .subject = "control-socket"});
  EXPECT_FALSE(state()->is_good(other, now_));
  EXPECT_NE(state()->rights_of(other), nullptr);
}

TEST_F(AccessStateTest, TakesNoOtherText) {
  const auto token = give_token("ada");
  auto forged = make_token();
  forged.replace(4, 10, token, 4, 10);  // her ID, and then the checksum is wrong, too
  for (const auto& text : {"Bearer " + token.substr(0, token.size() - 1), "Bearer " + token + "0", "Bearer " + forged,
                           "Bearer " + token + " " + token, std::string("Bearer mph_")})
    EXPECT_EQ(outcome(*state(), text), "invalid: the token is not whole, or has been changed; copy it again") << text;
  for (const auto& text : {"Bearer " + make_token(), std::string("Bearer "), std::string("Bearer x y")})
    EXPECT_EQ(outcome(*state(), text), "invalid: it is no token of this server") << text;
  for (const auto& text : {"Basic " + token, token, "Bearer" + token, std::string()})
    EXPECT_EQ(outcome(*state(), text), "missing") << text;
  EXPECT_EQ(outcome(*state(), std::nullopt), "missing");
}

TEST_F(AccessStateTest, TakesNoTokenWithTheIdOfAnother) {
  const auto token = give_token("ada");
  tokens_.front().digest = token_digest(make_token());
  EXPECT_EQ(outcome(*state(), "Bearer " + token), "invalid: it is no token of this server");
}

TEST_F(AccessStateTest, SaysWhenATokenIsGoodNoLonger) {
  EXPECT_EQ(outcome(*state(), "Bearer " + give_token("ada", now_ + 1s)), "host#ada");
  EXPECT_EQ(outcome(*state(), "Bearer " + give_token("ada", now_)), "invalid: the token has expired");
  EXPECT_EQ(outcome(*state(), "Bearer " + give_token("ada", {}, now_)), "invalid: the token has been revoked");
}

TEST_F(AccessStateTest, LetsThoseWithoutACredentialBeAnonymousWhereThatIsARole) {
  const auto token = give_token("ada");
  EXPECT_EQ(outcome(*state(true), std::nullopt), "anonymous");
  EXPECT_EQ(outcome(*state(true), "Bearer " + token), "host#ada");
  EXPECT_EQ(outcome(*state(true), "Bearer " + make_token()), "invalid: it is no token of this server");
}

TEST_F(AccessStateTest, AsksNobodyWhereThereAreNoCredentials) {
  const auto open = AccessState::open(nullptr);
  EXPECT_EQ(outcome(*open, std::nullopt), "anonymous");
  EXPECT_EQ(outcome(*open, "Bearer " + make_token()), "anonymous");
  EXPECT_EQ(open->rights_of(anonymous), nullptr);
  EXPECT_TRUE(open->is_good(anonymous, now_));
  const auto with_roles = AccessState::open(roles({{"anonymous", {.allow = {{.match = "resource:docs://*"}}}}}));
  EXPECT_TRUE(with_roles->rights_of(anonymous)->may_read("docs://a"));
  EXPECT_FALSE(with_roles->rights_of(anonymous)->may_read("notes://a"));
}

// The roles of the state of now count, and not those of when the token was looked at.
TEST_F(AccessStateTest, GivesATokenTheRightsThatItHasNow) {
  const auto token = give_token("ada");
  const auto before = state();
  const auto header = "Bearer " + token;
  const auto ada = *before->authenticate({.authorization = header}, now_);
  EXPECT_TRUE(before->rights_of(ada)->may_read("docs://a"));
  EXPECT_EQ(before->roles_of(ada), std::set<std::string>{"user"});
  tokens_.front().roles = {};
  const auto after = state();
  EXPECT_FALSE(after->rights_of(ada)->may_read("docs://a"));
  EXPECT_EQ(after->roles_of(ada), std::set<std::string>());
}

TEST_F(AccessStateTest, GivesAPrincipalTheRolesOfNowAndLeavesTheRest) {
  const auto token = give_token("ada");
  const auto before = state();
  const auto header = "Bearer " + token;
  const auto ada = *before->authenticate({.authorization = header}, now_);
  EXPECT_TRUE(before->with_roles_of_now(ada).is_copy_of(ada));
  EXPECT_TRUE(before->with_roles_of_now(anonymous).is_anonymous());
  EXPECT_TRUE(AccessState::open(nullptr)->with_roles_of_now(ada).is_copy_of(ada));
  tokens_.front().roles = {};
  const auto renewed = state()->with_roles_of_now(ada);
  EXPECT_EQ(renewed, ada);
  EXPECT_EQ(renewed.identity().credential, ada.identity().credential);
  EXPECT_TRUE(renewed.identity().roles.empty());
  EXPECT_EQ(before->with_roles_of_now(renewed).identity().roles, std::vector<std::string>{"user"});
}

TEST_F(AccessStateTest, KnowsWhetherACredentialIsStillGood) {
  const auto token = give_token("ada", now_ + 10s);
  const auto header = "Bearer " + token;
  const auto ada = *state()->authenticate({.authorization = header}, now_);
  EXPECT_TRUE(state()->is_good(ada, now_ + 9s));
  EXPECT_FALSE(state()->is_good(ada, now_ + 10s));
  EXPECT_FALSE(state()->is_good(anonymous, now_));
  EXPECT_TRUE(state(true)->is_good(anonymous, now_));
  tokens_.front().revoked = now_;
  EXPECT_FALSE(state()->is_good(ada, now_));
  tokens_.clear();
  EXPECT_FALSE(state()->is_good(ada, now_));
}

class CertificateAccessTest : public AccessStateTest {
 protected:
  // Who it is by a connection with a certificate, and what the host says to `authorization`.
  std::string outcome_with(std::optional<std::string_view> authorization, Time expiry) const {
    const HttpPeer peer{.certificate = std::make_shared<const ClientCertificate>(
                            ClientCertificate{.subject = "CN=ada", .expiry = expiry})};
    const auto found = state_with()->authenticate({.authorization = authorization, .peer = &peer}, now_);
    return found ? found->id() : "invalid: " + found.error().description;
  }
  std::shared_ptr<const AccessState> state_with() const {
    const RoleTexts texts{{"user", {.allow = {{.match = "*"}}, .issuers = {"mtls"}}}};
    return AccessState::with_credentials(
        roles(texts), {.tokens = tokens_, .connections = {CertificateSubject::subject, ProxySettings()}});
  }
};

TEST_F(CertificateAccessTest, KnowsWhoHasACertificateUntilItExpires) {
  EXPECT_EQ(outcome_with({}, now_ + 1s), "mtls#CN=ada");
  EXPECT_EQ(outcome_with({}, now_), "invalid: the client's certificate has expired");
  const Principal ada({.issuer = "mtls", .vouched_by = "subject", .subject = "CN=ada", .expiry = now_ + 1s});
  EXPECT_TRUE(state_with()->is_good(ada, now_));
  EXPECT_FALSE(state_with()->is_good(ada, now_ + 1s));
  EXPECT_FALSE(state()->is_good(ada, now_));
  EXPECT_TRUE(state_with()->has_expiry_between(now_, now_ + 1s));
  const Principal by_another_name({.issuer = "mtls", .vouched_by = "san_uri", .subject = "CN=ada"});
  EXPECT_FALSE(state_with()->is_good(by_another_name, now_));
}

TEST_F(CertificateAccessTest, TakesATokenInsteadOfTheCertificate) {
  const auto token = give_token("bob");
  EXPECT_EQ(outcome_with("Bearer " + token, now_ + 1s), "host#bob");
  EXPECT_EQ(outcome_with("Bearer " + make_token(), now_ + 1s), "invalid: it is no token of this server");
}

}  // namespace
}  // namespace mcph
