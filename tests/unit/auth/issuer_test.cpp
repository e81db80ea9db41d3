#include "auth/issuer.hpp"

#include <optional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/json.hpp"
#include "support/recording_log.hpp"
#include "support/signed_token.hpp"

namespace mcph {
namespace {

using namespace std::chrono_literals;

// Gives what a test has put there, when it says so.
class KeysToCome final : public KeySource {
 public:
  void fetch(Done done) override {
    ++times;
    waiting = std::move(done);
  }
  void give(std::string_view keys) {
    std::exchange(waiting, nullptr)(JsonWebKeySet::read(keys, JsonWebKeySet::Kind::secret));
  }
  void fail_now() { std::exchange(waiting, nullptr)(fail_for_now("nobody is there")); }

  int times = 0;
  Done waiting;
};

class IssuerTest : public ::testing::Test {
 protected:
  // Who waits for keys keeps the issuer, which keeps them.
  ~IssuerTest() override { keys_->waiting = nullptr; }

  std::string token(const std::string& key_id, std::string_view secret) const {
    return test::signed_token(
        {{"iss", "https://issuer.example"}, {"sub", "ada"}, {"aud", "https://us.example/mcp"}, {"exp", 2000}}, key_id,
        secret);
  }
  // Whose the token is, or why it is nobody's; for a token that is unsettled, `settled` is called when it is no more.
  std::string outcome(
      const std::string& text, const std::function<void()>& settled = [] {}) {
    const auto signature = JsonWebSignature::read(text);
    const auto claims = JsonDocument::read(signature->payload);
    const auto found = issuer_->verify(*signature, claims->root(), {"https://us.example/mcp"}, now_);
    if (found.has_value()) return found->subject;
    if (found.error().kind == CredentialError::Kind::unavailable) return "unavailable";
    if (found.error().kind == CredentialError::Kind::invalid) return found.error().description;
    found.error().settle(settled);
    return "unsettled";
  }

  const std::string first_ = std::string(32, '1');
  const std::string second_ = std::string(32, '2');
  const std::string first_keys_ = test::key_set(test::secret_key("first", first_));
  const std::chrono::system_clock::time_point now_{1000s};
  std::chrono::steady_clock::time_point moment_{100h};
  KeysToCome* keys_ = new KeysToCome;
  test::RecordingLog log_;
  const std::shared_ptr<Issuer> issuer_ =
      std::make_shared<Issuer>(IssuerSettings{.name = "company", .issuer = "https://issuer.example"},
                               std::unique_ptr<KeySource>(keys_), log_, [this] { return moment_; });
};

TEST_F(IssuerTest, FetchesKeysOnceForAllWhoWait) {
  EXPECT_EQ(keys_->times, 0);
  int settled = 0;
  EXPECT_EQ(outcome(token("first", first_), [&] { ++settled; }), "unsettled");
  EXPECT_EQ(outcome(token("first", first_), [&] { ++settled; }), "unsettled");
  EXPECT_EQ(keys_->times, 1);
  EXPECT_EQ(settled, 0);
  keys_->give(first_keys_);
  EXPECT_EQ(settled, 2);
  EXPECT_EQ(outcome(token("first", first_)), "ada");
  EXPECT_EQ(keys_->times, 1);
}

TEST_F(IssuerTest, FetchesRarelyForKeysThatItDoesNotKnow) {
  outcome(token("first", first_));
  keys_->give(first_keys_);
  for (int i = 0; i < 1000; ++i) {
    moment_ += 29ms;
    EXPECT_EQ(outcome(token("other" + std::to_string(i), second_)), "its issuer has no such key");
  }
  EXPECT_EQ(keys_->times, 1);
  moment_ += 1s;
  EXPECT_EQ(outcome(token("other", second_)), "unsettled");
  EXPECT_EQ(keys_->times, 2);
  keys_->fail_now();
  EXPECT_EQ(outcome(token("other", second_)), "unavailable") << "the issuer may have it by now";
  EXPECT_EQ(outcome(token("first", second_)), "the token's signature is not its issuer's");
  EXPECT_EQ(outcome(token("first", first_)), "ada");
  moment_ += Issuer::fetch_pause;
  EXPECT_EQ(outcome(token("other", second_)), "unsettled");
  keys_->give(first_keys_);
  EXPECT_EQ(outcome(token("other", second_)), "its issuer has no such key");
  EXPECT_EQ(log_.count("keys of an issuer not fetched issuer=company reason=nobody is there"), 1U);
}

TEST_F(IssuerTest, HasAKeyThatTakesTheNameOfAnother) {
  outcome(token("first", first_));
  keys_->give(first_keys_);
  EXPECT_EQ(outcome(token("first", second_)), "the token's signature is not its issuer's");
  moment_ += Issuer::fetch_pause;
  EXPECT_EQ(outcome(token("first", second_)), "unsettled");
  keys_->give(test::key_set(test::secret_key("first", second_)));
  EXPECT_EQ(outcome(token("first", second_)), "ada");
  EXPECT_EQ(outcome(token("first", first_)), "the token's signature is not its issuer's");
}

TEST_F(IssuerTest, IsUnavailableWhileItHasNoKeys) {
  outcome(token("first", first_));
  keys_->fail_now();
  EXPECT_EQ(outcome(token("first", first_)), "unavailable");
  moment_ += Issuer::first_fetch_pause;
  EXPECT_EQ(outcome(token("first", first_)), "unsettled");
  EXPECT_EQ(keys_->times, 2);
}

TEST_F(IssuerTest, SaysWhichKeysCountWhereNewOnesAreNotFetched) {
  const std::string line = "keys of an issuer not fetched issuer=company reason=nobody is there consequence=";
  outcome(token("first", first_));
  keys_->fail_now();
  EXPECT_EQ(log_.count(line + "its tokens are refused until there are keys"), 1U);
  moment_ += Issuer::first_fetch_pause;
  outcome(token("first", first_));
  keys_->give(first_keys_);
  issuer_->refresh_keys();
  keys_->fail_now();
  EXPECT_EQ(log_.count(line + "the keys that were fetched before count"), 1U);
  EXPECT_EQ(outcome(token("first", first_)), "ada");
}

TEST_F(IssuerTest, WithdrawsKeysWithoutMakingAnybodyWait) {
  outcome(token("first", first_));
  keys_->give(first_keys_);
  moment_ += Issuer::key_lifetime;
  EXPECT_EQ(outcome(token("first", first_)), "ada");
  EXPECT_EQ(keys_->times, 2);
  EXPECT_EQ(outcome(token("first", first_)), "ada");
  EXPECT_EQ(keys_->times, 2);
  keys_->give(test::key_set(test::secret_key("second", second_)));
  EXPECT_EQ(outcome(token("first", first_)), "its issuer has no such key");
  EXPECT_EQ(outcome(token("second", second_)), "ada");
}

TEST_F(IssuerTest, FetchesKeysAgainThatHaveChangedWhileTheyCame) {
  outcome(token("first", first_));
  issuer_->refresh_keys();
  EXPECT_EQ(keys_->times, 1);
  keys_->give(first_keys_);
  EXPECT_EQ(keys_->times, 2);
  keys_->give(test::key_set(test::secret_key("second", second_)));
  EXPECT_EQ(outcome(token("first", first_)), "its issuer has no such key");
  EXPECT_EQ(keys_->times, 2);
}

}  // namespace
}  // namespace mcph
