#include "protocol/state/request_state.hpp"

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/temporary_folder.hpp"

namespace mcph {
namespace {

constexpr std::chrono::seconds lifetime{60};
constexpr auto purpose = "tools/call of add";

class RequestStateTest : public ::testing::Test {
 protected:
  RequestState made_with(const StateKey& key) {
    return {key, lifetime, [this] { return now_; }};
  }

  static std::string refusal(const RequestState& state, std::string_view text, std::string_view for_what = purpose) {
    const auto opened = state.open(text, for_what);
    return opened ? "opened" : opened.error().message;
  }

  std::chrono::system_clock::time_point now_{std::chrono::hours(1)};
  const StateKey key_ = random_state_key();
  const RequestState state_ = made_with(key_);
};

constexpr auto not_ours = "it is not what this server gave out for this very request; send the request anew without it";

TEST_F(RequestStateTest, ComesBackAsItWas) {
  const Json content = {{"answers", {{"name", "Ada"}}}};
  const auto opened = state_.open(state_.seal(content, purpose), purpose);
  ASSERT_TRUE(opened);
  EXPECT_EQ(*opened, content);
}

TEST_F(RequestStateTest, CannotBeReadByTheClientAndIsNeverTheSameTwice) {
  const auto sealed = state_.seal({{"secret", "0123456789"}}, purpose);
  EXPECT_EQ(sealed.find("secret"), std::string::npos);
  EXPECT_NE(sealed, state_.seal({{"secret", "0123456789"}}, purpose));
}

TEST_F(RequestStateTest, IsRefusedWhereverOneCharacterWasChanged) {
  const auto sealed = state_.seal({{"a", 1}}, purpose);
  for (std::size_t at = 0; at < sealed.size(); ++at) {
    auto changed = sealed;
    changed[at] = changed[at] == 'A' ? 'B' : 'A';
    EXPECT_EQ(refusal(state_, changed), not_ours) << at;
  }
  EXPECT_EQ(refusal(state_, sealed + "A"), not_ours);
  EXPECT_EQ(refusal(state_, sealed.substr(0, sealed.size() - 2)), not_ours);
  EXPECT_EQ(refusal(state_, ""), not_ours);
  EXPECT_EQ(refusal(state_, "no base64url!"), not_ours);
}

TEST_F(RequestStateTest, IsRefusedForAnotherPurpose) {
  EXPECT_EQ(refusal(state_, state_.seal({}, purpose), "tools/call of remove"), not_ours);
}

TEST_F(RequestStateTest, IsGoodUntilItExpires) {
  const auto sealed = state_.seal({}, purpose);
  now_ += lifetime;
  EXPECT_EQ(refusal(state_, sealed), "opened");
  now_ += std::chrono::seconds(1);
  EXPECT_EQ(refusal(state_, sealed), "it has expired; send the request anew without it");
}

TEST_F(RequestStateTest, IsGoodForAReplicaWithTheSameKeyOnly) {
  const auto sealed = state_.seal({}, purpose);
  EXPECT_EQ(refusal(made_with(key_), sealed), "opened");
  EXPECT_EQ(refusal(made_with(random_state_key()), sealed), not_ours);
}

// For its owner alone.
void write_key(const std::filesystem::path& file, std::string_view text) {
  std::ofstream(file) << text;
  std::filesystem::permissions(file, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
}

TEST(StateKeyFile, IsReadAlikeByAllWhoShareIt) {
  const test::TemporaryFolder folder;
  const auto file = folder.path() / "key";
  write_key(file, "0123456789abcdef0123456789abcdef");
  const auto key = read_state_key(file);
  ASSERT_TRUE(key);
  EXPECT_EQ(*key, *read_state_key(file));
  write_key(file, "0123456789abcdef0123456789abcdeF");
  EXPECT_NE(*key, *read_state_key(file));
}

TEST(StateKeyFile, IsRefusedInWordsIfItIsTooShortOrMissing) {
  const test::TemporaryFolder folder;
  const auto file = folder.path() / "key";
  EXPECT_EQ(read_state_key(file).error().message,
            "cannot read the key " + file.string() + ": No such file or directory");
  write_key(file, "0123456789");
  EXPECT_EQ(read_state_key(file).error().message,
            "the key " + file.string() +
                " has 10 bytes, and must have 32 or more; make one with: (umask 077; head -c 48 " +
                "/dev/urandom | base64 > " + file.string() + ")");
}

TEST(StateKeyFile, IsForItsOwnerAlone) {
  const test::TemporaryFolder folder;
  const auto file = folder.path() / "key";
  write_key(file, "0123456789abcdef0123456789abcdef");
  std::filesystem::permissions(file, std::filesystem::perms::others_read, std::filesystem::perm_options::add);
  EXPECT_THAT(read_state_key(file).error().message, ::testing::HasSubstr("chmod"));
}

}  // namespace
}  // namespace mcph
