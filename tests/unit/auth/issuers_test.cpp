#include "auth/issuers.hpp"

#include <deque>
#include <new>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "auth/access_state.hpp"
#include "auth/claims.hpp"
#include "auth/token.hpp"
#include "base/json.hpp"
#include "support/recording_log.hpp"
#include "support/signed_token.hpp"
#include "support/temporary_folder.hpp"

namespace mcph {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class Asked final : public HttpCaller {
 public:
  void send(HttpCall call, std::function<void(Result<HttpAnswer>)> done) override {
    if (!has_memory) throw std::bad_alloc();
    calls.push_back(std::move(call));
    waiting.push_back(std::move(done));
  }
  void answer(const Result<HttpAnswer>& answer) {
    const auto done = waiting.front();
    waiting.pop_front();
    done(answer);
  }

  bool has_memory = true;
  std::vector<HttpCall> calls;
  std::deque<std::function<void(Result<HttpAnswer>)>> waiting;
};

class IssuersTest : public ::testing::Test {
 protected:
  IssuersTest() {
    temporary_.write("keys.json", test::key_set(test::secret_key("first", secret_)));
    temporary_.write("secret", "a secret\n");
    std::filesystem::permissions(temporary_.path() / "secret", std::filesystem::perms::owner_read);
    std::filesystem::permissions(temporary_.path() / "keys.json",
                                 std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  }

  std::shared_ptr<Issuers> issuers(const IssuerSettings& settings, const Issuers* before = nullptr) {
    return *Issuers::create(
        {.issuers = {settings}, .implied = {{"mcp:all", {"mcp:some"}}, {"mcp:some", {"mcp:least"}}}}, caller_, log_,
        before, [this] { return moment_; });
  }
  // Whose tokens are asked about.
  IssuerSettings opaque() const {
    auto settings = known_;
    settings.jwks_file.clear();
    settings.introspection_url = "https://issuer.example/introspect";
    settings.client_id = "us";
    settings.client_secret = temporary_.path() / "secret";
    return settings;
  }
  static HttpAnswer about_ada(std::int64_t expiry) {
    return {200, Json({{"active", true},
                       {"sub", "ada"},
                       {"aud", "https://us.example/mcp"},
                       {"scope", "mcp:all"},
                       {"exp", expiry}})
                     .dump()};
  }
  std::string outcome(
      Issuers& issuers, std::string_view token, const std::function<void()>& settled = [] {}) {
    const auto found = issuers.authenticate(token, now_);
    if (found.has_value()) return found->id();
    if (found.error().kind == CredentialError::Kind::unavailable) return "unavailable";
    if (found.error().kind == CredentialError::Kind::invalid) return found.error().description;
    found.error().settle(settled);
    return "unsettled";
  }

  const test::TemporaryFolder temporary_;
  const std::string secret_ = std::string(32, '1');
  const IssuerSettings known_{.name = "company",
                              .issuer = "https://issuer.example",
                              .audiences = {"https://us.example/mcp"},
                              .jwks_file = temporary_.path() / "keys.json"};
  std::chrono::system_clock::time_point now_ =
      std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  const std::int64_t later_ = now_.time_since_epoch() / 1s + 300;
  const Json claims_ = {{"iss", "https://issuer.example"},
                        {"sub", "ada"},
                        {"aud", "https://us.example/mcp"},
                        {"scope", "mcp:all other"},
                        {"exp", later_}};
  std::chrono::steady_clock::time_point moment_{100h};
  Asked caller_;
  test::RecordingLog log_;
};

TEST_F(IssuersTest, FetchNoKeysInTheClearThatAnIssuerOfHttpsNames) {
  auto settings = known_;
  settings.jwks_file.clear();
  const auto all = issuers(settings);
  EXPECT_EQ(outcome(*all, test::signed_token(claims_, "first", secret_)), "unsettled");
  while (!caller_.waiting.empty())
    caller_.answer(HttpAnswer{200, R"({"issuer":"https://issuer.example","jwks_uri":"http://127.0.0.1:1/keys"})"});
  EXPECT_FALSE(caller_.calls.empty());
  for (const auto& call : caller_.calls)
    EXPECT_EQ(call.url.host, "issuer.example");
}

TEST_F(IssuersTest, SayWhyTheyHaveNoKeysWithoutTheQueryOfTheAddress) {
  auto settings = known_;
  settings.jwks_file.clear();
  const auto token = test::signed_token(claims_, "first", secret_);
  const auto reason_for = [&](const std::vector<HttpAnswer>& answers) {
    const auto all = issuers(settings);
    EXPECT_EQ(outcome(*all, token), "unsettled");
    for (const auto& answer : answers)
      caller_.answer(answer);
    return log_.take();
  };
  const std::string line = "keys of an issuer not fetched issuer=company reason=https://issuer.example/keys: ";
  const std::string failed = line + "answered with status 500 consequence=its tokens are refused until there are keys";
  const HttpAnswer metadata{
      200, R"({"issuer":"https://issuer.example","jwks_uri":"https://issuer.example/keys?key=secret"})"};
  EXPECT_THAT(reason_for({metadata, HttpAnswer{500, {}}}), ElementsAre(failed));
  settings.jwks_url = "https://issuer.example/keys?key=secret";
  EXPECT_THAT(reason_for({HttpAnswer{500, {}}}), ElementsAre(failed));
  EXPECT_THAT(reason_for({HttpAnswer{200, "no keys"}}), ElementsAre(StartsWith(line)));
}

TEST_F(IssuersTest, HearNothingOfATokenOfThisHost) {
  const auto state = AccessState::with_credentials(*RolePolicy::compile(RoleTexts{}), {.issuers = issuers(opaque())});
  for (const std::string scheme : {"Bearer ", "DPoP "}) {
    const auto authorization = scheme + make_token();
    const auto found = state->authenticate({.authorization = authorization}, now_);
    EXPECT_EQ(found.error().kind, CredentialError::Kind::invalid) << scheme;
  }
  EXPECT_TRUE(caller_.calls.empty());
}

TEST_F(IssuersTest, KnowATokenAgain) {
  const auto issuers = this->issuers(known_);
  const auto token = test::signed_token(claims_, "first", secret_);
  EXPECT_EQ(outcome(*issuers, token), "unsettled");
  const auto first = issuers->authenticate(token, now_);
  const auto second = issuers->authenticate(token, now_);
  ASSERT_TRUE(first && second);
  EXPECT_TRUE(first->is_copy_of(*second));
  EXPECT_THAT(first->identity().scopes, ElementsAre("mcp:all", "mcp:least", "mcp:some", "other"));
  // Until it expires.
  EXPECT_TRUE(issuers->authenticate(token, now_ + 359s));
  EXPECT_FALSE(issuers->authenticate(token, now_ + 360s));
}

TEST_F(IssuersTest, KnowATokenNoMoreOnceItsKeyIsWithdrawn) {
  const auto issuers = this->issuers(known_);
  const auto token = test::signed_token(claims_, "first", secret_);
  outcome(*issuers, token);
  EXPECT_EQ(outcome(*issuers, token), "https://issuer.example#ada");
  temporary_.write("keys.json", R"({"keys":[]})");
  moment_ += Issuer::key_lifetime;
  EXPECT_EQ(outcome(*issuers, token), "https://issuer.example#ada");
  EXPECT_EQ(outcome(*issuers, token), "its issuer has no such key");
}

TEST_F(IssuersTest, GoOnWithTheKeysOfThoseBefore) {
  const auto before = issuers(known_);
  const auto token = test::signed_token(claims_, "first", secret_);
  outcome(*before, token);
  std::filesystem::remove(temporary_.path() / "keys.json");
  EXPECT_EQ(outcome(*issuers(known_, before.get()), token), "https://issuer.example#ada");
  auto changed = known_;
  changed.audiences = {"https://other.example"};
  EXPECT_EQ(outcome(*issuers(changed, before.get()), token), "the token is not for this server");
  changed.jwks_file = temporary_.path() / "others.json";
  const auto after = issuers(changed, before.get());
  EXPECT_EQ(outcome(*after, token), "unsettled");
  EXPECT_EQ(outcome(*after, token), "unavailable");
}

TEST_F(IssuersTest, TrustNobodyWhoseKeyOrTermsAreGone) {
  const auto before = issuers(known_);
  const auto token = test::signed_token(claims_, "first", secret_);
  outcome(*before, token);
  const auto ada = before->authenticate(token, now_);
  ASSERT_TRUE(ada);
  EXPECT_TRUE(before->trusts(ada->identity()));

  auto renamed = known_;
  renamed.name_claim = "nickname";
  EXPECT_TRUE(issuers(renamed, before.get())->trusts(ada->identity()));
  auto narrowed = known_;
  narrowed.audiences = {"https://us.example/other"};
  EXPECT_FALSE(issuers(narrowed, before.get())->trusts(ada->identity()));
  auto other = known_;
  other.issuer = "https://other.example";
  EXPECT_FALSE(issuers(other, before.get())->trusts(ada->identity()));

  temporary_.write("keys.json", test::key_set(test::secret_key("first", std::string(32, '2'))));
  EXPECT_FALSE(issuers(known_, before.get())->trusts(ada->identity()));
}

TEST_F(IssuersTest, TrustNobodyWhoseTokenIsReadInAnotherWayNow) {
  const auto before = issuers(known_);
  const auto token = test::signed_token(claims_, "first", secret_);
  outcome(*before, token);
  const auto ada = before->authenticate(token, now_);
  ASSERT_TRUE(ada);
  for (const auto claim :
       {&IssuerSettings::subject_claim, &IssuerSettings::groups_claim, &IssuerSettings::roles_claim}) {
    auto changed = known_;
    changed.*claim = "another";
    EXPECT_FALSE(issuers(changed, before.get())->trusts(ada->identity()));
  }
  EXPECT_FALSE(issuers(opaque(), before.get())->trusts(ada->identity()));
  const auto implying_less =
      Issuers::create({.issuers = {known_}, .implied = {{"mcp:all", {"mcp:some"}}, {"mcp:some", {}}}}, caller_, log_,
                      before.get(), [this] { return moment_; });
  ASSERT_TRUE(implying_less);
  EXPECT_FALSE((*implying_less)->trusts(ada->identity()));
}

TEST_F(IssuersTest, NoticeAWithdrawnKeyWhereNobodyBringsATokenAnyMore) {
  const auto before = issuers(known_);
  const auto token = test::signed_token(claims_, "first", secret_);
  outcome(*before, token);
  const auto ada = before->authenticate(token, now_);
  ASSERT_TRUE(ada);
  temporary_.write("keys.json", R"({"keys":[]})");
  EXPECT_TRUE(before->trusts(ada->identity()));
  before->refresh_old_keys();
  moment_ += Issuer::key_lifetime;
  // Who only compares reads no file.
  EXPECT_TRUE(before->trusts(ada->identity()));
  EXPECT_TRUE(before->trusts(ada->identity()));
  before->refresh_old_keys();
  EXPECT_FALSE(before->trusts(ada->identity()));
}

TEST_F(IssuersTest, FetchNoKeysOfAnIssuerByWhomNothingIsOpen) {
  const auto issuers = this->issuers(known_);
  const auto token = test::signed_token(claims_, "first", secret_);
  outcome(*issuers, token);
  const auto ada = issuers->authenticate(token, now_);
  ASSERT_TRUE(ada);
  const auto fetched = [&] { return issuers->fetches().front().good; };
  for (int times = 0; times < 2; ++times) {
    moment_ += Issuer::key_lifetime;
    issuers->refresh_old_keys();
  }
  EXPECT_EQ(fetched(), 1U);
  EXPECT_TRUE(issuers->trusts(ada->identity()));
  for (int times = 0; times < 2; ++times) {
    issuers->refresh_old_keys();
    moment_ += Issuer::key_lifetime;
  }
  EXPECT_EQ(fetched(), 2U);
}

TEST_F(IssuersTest, FetchTheKeysOfAnotherPlaceForWhatIsOpen) {
  const auto before = issuers(known_);
  const auto token = test::signed_token(claims_, "first", secret_);
  outcome(*before, token);
  const auto ada = before->authenticate(token, now_);
  ASSERT_TRUE(ada);
  auto moved = known_;
  moved.jwks_file.clear();
  moved.jwks_url = "https://issuer.example/keys";
  const auto after = issuers(moved, before.get());
  after->refresh_old_keys();
  for (int times = 0; times < 2; ++times) {
    EXPECT_EQ(caller_.calls.size(), times == 0 ? 0U : 1U);
    EXPECT_TRUE(after->trusts(ada->identity()));
    after->refresh_old_keys();
  }
  ASSERT_EQ(caller_.calls.size(), 1U);
  caller_.answer(HttpAnswer{200, R"({"keys":[]})"});
  EXPECT_FALSE(after->trusts(ada->identity()));
}

TEST_F(IssuersTest, AskOnceAboutATokenThatOnlyTheIssuerCanRead) {
  const auto issuers = this->issuers(opaque());
  int settled = 0;
  EXPECT_EQ(outcome(*issuers, "opaque+token", [&] { ++settled; }), "unsettled");
  EXPECT_EQ(outcome(*issuers, "opaque+token", [&] { ++settled; }), "unsettled");
  ASSERT_EQ(caller_.calls.size(), 1U);
  EXPECT_EQ(caller_.calls[0].body, "token_type_hint=access_token&token=opaque%2Btoken");
  EXPECT_EQ(caller_.calls[0].url.target, "/introspect");
  caller_.answer(about_ada(later_));
  EXPECT_EQ(settled, 2);
  EXPECT_EQ(outcome(*issuers, "opaque+token"), "https://issuer.example#ada");
  EXPECT_EQ(caller_.calls.size(), 1U);
  // What has been said counts for a while only.
  EXPECT_FALSE(issuers->authenticate("opaque+token", now_ + Issuers::answer_lifetime + 1min));
}

TEST_F(IssuersTest, NameATokenByItsIdUnlessThatIsTheToken) {
  const auto issuers = this->issuers(opaque());
  const auto name_of = [&](const std::string& token) {
    EXPECT_EQ(outcome(*issuers, token), "unsettled");
    caller_.answer(HttpAnswer{200, R"({"active":true,"sub":"ada","aud":"https://us.example/mcp","jti":"a1"})"});
    const auto principal = issuers->authenticate(token, now_);
    EXPECT_TRUE(principal);
    return principal ? principal->identity().credential : std::string();
  };
  EXPECT_EQ(name_of("opaque"), "a1");
  EXPECT_EQ(name_of("a1"), "");
}

TEST_F(IssuersTest, LetWhoWaitsGoOnWhereThereIsNoMemoryToAsk) {
  const auto issuers = this->issuers(opaque());
  bool settled = false;
  caller_.has_memory = false;
  EXPECT_EQ(outcome(*issuers, "opaque", [&] { settled = true; }), "unsettled");
  EXPECT_TRUE(settled);
  caller_.has_memory = true;
  EXPECT_EQ(outcome(*issuers, "opaque"), "unsettled");
  caller_.answer(about_ada(later_ + 3600));
  EXPECT_TRUE(issuers->authenticate("opaque", now_));
}

TEST_F(IssuersTest, GiveNoRolesOfATokenOfTheHostThatHasTheSameId) {
  const auto own = make_token();
  const std::string id(*token_id(own));
  const auto issuers = this->issuers(known_);
  TokenRecord record;
  record.id = id;
  record.digest = token_digest(own);
  record.subject = "ada";
  record.roles = {"user"};
  const auto state = AccessState::with_credentials(*RolePolicy::compile(RoleTexts{{"user", {}}}),
                                                   {.tokens = {record}, .issuers = issuers});
  auto claims = claims_;
  claims["jti"] = id;
  const auto token = test::signed_token(claims, "first", secret_);
  outcome(*issuers, token);
  const auto authorization = "Bearer " + token;
  const auto principal = state->authenticate({.authorization = authorization}, now_);
  ASSERT_TRUE(principal);
  EXPECT_EQ(principal->identity().credential, id);
  EXPECT_TRUE(state->roles_of(*principal).empty());
}

TEST_F(IssuersTest, LetWhatATokenBeginsThatOnlyTheIssuerCanReadEndSoonerThanIt) {
  const auto issuers = this->issuers(opaque());
  EXPECT_EQ(outcome(*issuers, "opaque"), "unsettled");
  caller_.answer(about_ada(later_ + 3600));
  const auto principal = issuers->authenticate("opaque", now_);
  ASSERT_TRUE(principal);
  EXPECT_GE(principal->identity().expiry, now_ + introspection_lifetime);
  EXPECT_LE(principal->identity().expiry, std::chrono::system_clock::now() + introspection_lifetime);
}

TEST_F(IssuersTest, AskOnceAlsoWhereTheAnswerComesBetweenTwoQuestions) {
  const auto issuers = this->issuers(opaque());
  const auto first = issuers->authenticate("opaque", now_);
  const auto second = issuers->authenticate("opaque", now_);
  first.error().settle([] {});
  caller_.answer(about_ada(later_));
  bool settled = false;
  second.error().settle([&] { settled = true; });
  EXPECT_TRUE(settled);
  EXPECT_EQ(caller_.calls.size(), 1U);
}

TEST_F(IssuersTest, AskAboutATokenThatWasGoodAlsoWhereStrangersHaveTheirPlaces) {
  const auto issuers = this->issuers(opaque());
  EXPECT_EQ(outcome(*issuers, "good"), "unsettled");
  caller_.answer(about_ada(later_));
  for (std::size_t i = 0; i < Issuers::max_pending; ++i)
    ASSERT_EQ(outcome(*issuers, "stranger" + std::to_string(i)), "unsettled");
  EXPECT_EQ(outcome(*issuers, "stranger"), "unavailable");
  EXPECT_EQ(outcome(*issuers, "stranger0"), "unsettled");
  now_ += Issuers::answer_lifetime + 1min;
  EXPECT_EQ(outcome(*issuers, "good"), "unsettled");
}

TEST_F(IssuersTest, AskAboutATokenThatWasGoodAlsoAfterAChange) {
  const auto before = this->issuers(opaque());
  EXPECT_EQ(outcome(*before, "good"), "unsettled");
  caller_.answer(about_ada(later_));
  for (std::size_t i = 0; i < Issuers::max_pending; ++i)
    ASSERT_EQ(outcome(*before, "stranger" + std::to_string(i)), "unsettled");
  const auto after = this->issuers(opaque(), before.get());
  EXPECT_EQ(outcome(*after, "stranger"), "unavailable") << "those of before are asked about still";
  EXPECT_EQ(outcome(*after, "good"), "unsettled");
  caller_.answer(HttpAnswer{200, R"({"active":false})"});
  EXPECT_EQ(outcome(*after, "stranger"), "unsettled") << "one of them has been answered";
}

TEST_F(IssuersTest, OfSeveralServersShareKeysButNotTokens) {
  auto settings = known_;
  settings.audiences.clear();
  const auto of_server = [&](const char* audience, const Issuers* before) {
    return *Issuers::create({.issuers = {settings}, .audiences = {audience}}, caller_, log_, before);
  };
  const auto whole = of_server("https://us.example/mcp", nullptr);
  const auto token = test::signed_token(claims_, "first", secret_);
  EXPECT_EQ(outcome(*whole, token), "unsettled");
  EXPECT_EQ(outcome(*whole, token), "https://issuer.example#ada");
  const auto part = of_server("https://us.example/part/mcp", whole.get());
  EXPECT_EQ(outcome(*part, token), "the token is not for this server");
  EXPECT_EQ(part->fetches().front().good, whole->fetches().front().good);
}

TEST_F(IssuersTest, RefuseWhatTheIssuerDoesNotVouchFor) {
  const auto issuers = this->issuers(opaque());
  const auto said = [&](const std::string& token, const Result<HttpAnswer>& answer) {
    EXPECT_EQ(outcome(*issuers, token), "unsettled");
    caller_.answer(answer);
    return outcome(*issuers, token);
  };
  EXPECT_EQ(said("1", HttpAnswer{200, R"({"active":false})"}), "the token is not good, or not any more");
  EXPECT_EQ(said("2", HttpAnswer{200, R"({"active":"true","sub":"ada"})"}), "the token is not good, or not any more");
  EXPECT_EQ(said("3", HttpAnswer{200, R"({"active":true,"sub":"ada"})"}), "the token is not for this server");
  EXPECT_EQ(said("4", HttpAnswer{200, R"({"active":true,"sub":"ada","aud":"https://other.example"})"}),
            "the token is not for this server");
  EXPECT_EQ(said("5", about_ada(later_ - 400)), "the token has expired");
  std::string token = "kind";
  for (const auto* const kind : {R"("token_type":"refresh_token")", R"("token_type":7)", R"("token_use":"id")"}) {
    const auto answer = std::string(R"({"active":true,"sub":"ada","aud":"https://us.example/mcp",)") + kind + "}";
    EXPECT_EQ(said(token += "+", HttpAnswer{200, answer}), "the token is no access token") << kind;
  }
  EXPECT_EQ(said("6", HttpAnswer{500, {}}), "unavailable");
  EXPECT_EQ(said("7", HttpAnswer{200, "active"}), "unavailable");
  EXPECT_EQ(said("8", fail_for_now("nobody is there")), "unavailable");
}

TEST_F(IssuersTest, TakeWhatIsCalledATokenForAccess) {
  const auto issuers = this->issuers(opaque());
  std::string token = "access";
  for (const auto* const kind :
       {R"("token_type":"bearer")", R"("token_type":"DPoP","cnf":{"jkt":"x"},"token_use":"access")",
        R"("token_type":"Bearer","token_use":"access_token")", R"("token_type":"Bearer","cnf":{"jkt":"x"})"}) {
    outcome(*issuers, token += "+");
    caller_.answer(
        HttpAnswer{200, std::string(R"({"active":true,"sub":"ada","aud":"https://us.example/mcp",)") + kind + "}"});
    EXPECT_EQ(outcome(*issuers, token), "https://issuer.example#ada") << kind;
  }
}

// RFC 9449 section 7.2.
TEST_F(IssuersTest, TakeNoTokenThatIsBoundToAKeyOfWhichTheIssuerSaysNothing) {
  const auto issuers = this->issuers(opaque());
  std::string token = "bound";
  for (const auto* const kind : {R"("token_type":"DPoP")", R"("token_type":"dpop","cnf":{"x5t#S256":"x"})",
                                 R"("token_type":"DPoP","cnf":{"jkt":""})", R"("token_type":"DPoP","cnf":{})"}) {
    EXPECT_EQ(outcome(*issuers, token += "+"), "unsettled");
    caller_.answer(
        HttpAnswer{200, std::string(R"({"active":true,"sub":"ada","aud":"https://us.example/mcp",)") + kind + "}"});
    EXPECT_EQ(outcome(*issuers, token), "the token is bound in a way that is not known here") << kind;
  }
}

TEST_F(IssuersTest, TakeATokenForNobodyInParticularOnlyWhereTheOperatorSaysSo) {
  auto settings = opaque();
  settings.trust_without_audience = true;
  const auto issuers = this->issuers(settings);
  outcome(*issuers, "1");
  caller_.answer(HttpAnswer{200, R"({"active":true,"sub":"ada","token_type":"Bearer"})"});
  EXPECT_EQ(outcome(*issuers, "1"), "https://issuer.example#ada");
  outcome(*issuers, "refresh");
  caller_.answer(HttpAnswer{200, R"({"active":true,"sub":"ada"})"});
  EXPECT_EQ(outcome(*issuers, "refresh"), "the token is no access token");
  outcome(*issuers, "2");
  caller_.answer(HttpAnswer{200, R"({"active":true,"sub":"ada","aud":"https://other.example"})"});
  EXPECT_EQ(outcome(*issuers, "2"), "the token is not for this server");
}

TEST_F(IssuersTest, SayWhichSecretCannotBeRead) {
  auto settings = opaque();
  settings.client_secret = temporary_.path() / "none";
  const auto created = Issuers::create({.issuers = {settings}}, caller_, log_);
  ASSERT_TRUE(created.has_error());
  EXPECT_THAT(created.error().message, HasSubstr("the issuer \"company\" cannot be asked about tokens: "));
}

TEST(KnownTokensTest, ForgetsWhatHasNotBeenAskedFor) {
  KnownTokens known(10);
  const KnownTokens::Time now{1000s};
  const auto add = [&](int number) { known.add(std::to_string(number), {anonymous, now + 1h}); };
  add(0);
  for (int i = 1; i < 100; ++i) {
    add(i);
    EXPECT_TRUE(known.find("0", now)) << i;
  }
  int known_still = 0;
  for (int i = 1; i < 100; ++i)
    known_still += known.find(std::to_string(i), now) ? 1 : 0;
  EXPECT_GE(known_still, 9);
  EXPECT_LE(known_still, 20);
  // Nor do those that are asked for stay for ever.
  for (int round = 0; round < 10; ++round) {
    for (int i = 0; i < 20; ++i)
      known.find(std::to_string(1000 * round + i), now);
    for (int i = 0; i < 20; ++i)
      add(1000 * (round + 1) + i);
  }
  int all = 0;
  for (int i = 0; i < 20'000; ++i)
    all += known.find(std::to_string(i), now) ? 1 : 0;
  EXPECT_LE(all, 20);
}

}  // namespace
}  // namespace mcph
