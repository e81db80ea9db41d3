#include "auth/token_file.hpp"

#include <fstream>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "auth/token.hpp"
#include "support/temporary_folder.hpp"

namespace mcph {
namespace {

using ::testing::HasSubstr;
using namespace std::chrono_literals;

class TokenFileTest : public ::testing::Test {
 protected:
  static TokenRecord record(std::string subject) {
    const auto token = make_token();
    return {.id = std::string(*token_id(token)),
            .subject = std::move(subject),
            .roles = {"user"},
            .digest = token_digest(token),
            .created = TokenRecord::Time(1'000'000s)};
  }
  Result<> add(TokenRecord token) {
    return change_tokens(file_, [&](TokenRecords& tokens) -> Result<> {
      tokens.push_back(token);
      return {};
    });
  }
  void write(const std::string& text) {
    temporary_.write("tokens.json", text);
    ::chmod(file_.c_str(), 0600);
  }
  std::string mistake_in(const std::string& text) {
    write(text);
    const auto read = read_tokens(file_);
    return read ? "read" : read.error().message;
  }

  const test::TemporaryFolder temporary_;
  const std::filesystem::path file_ = temporary_.path() / "tokens.json";
};

TEST_F(TokenFileTest, HasNoneWhereItIsNotThere) {
  ASSERT_TRUE(read_tokens(file_));
  EXPECT_TRUE(read_tokens(file_)->empty());
}

TEST_F(TokenFileTest, IsReadAsItHasBeenWritten) {
  auto token = record("ada");
  token.expiry = token.created + 24h;
  token.revoked = token.created + 1h;
  ASSERT_TRUE(add(token));
  ASSERT_TRUE(add(record("bob")));
  const auto tokens = read_tokens(file_);
  ASSERT_TRUE(tokens) << tokens.error().message;
  ASSERT_EQ(tokens->size(), 2);
  EXPECT_EQ(tokens->front().id, token.id);
  EXPECT_EQ(tokens->front().subject, "ada");
  EXPECT_EQ(tokens->front().roles, token.roles);
  EXPECT_EQ(tokens->front().digest, token.digest);
  EXPECT_EQ(tokens->front().created, token.created);
  EXPECT_EQ(tokens->front().expiry, token.expiry);
  EXPECT_EQ(tokens->front().revoked, token.revoked);
  EXPECT_EQ(tokens->back().expiry, std::nullopt);
}

TEST_F(TokenFileTest, BelongsToItsOwnerAlone) {
  ASSERT_TRUE(add(record("ada")));
  EXPECT_EQ(std::filesystem::status(file_).permissions(),
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  ::chmod(file_.c_str(), 0620);
  EXPECT_THAT(read_tokens(file_).error().message, HasSubstr("chmod 600 it"));
}

TEST_F(TokenFileTest, KeepsItsReaders) {
  ASSERT_TRUE(add(record("ada")));
  ::chmod(file_.c_str(), 0640);
  ASSERT_TRUE(add(record("bob")));
  EXPECT_EQ(std::filesystem::status(file_).permissions(), std::filesystem::perms(0640));
}

// Its host would not read what root has made of it, and go on with a token that is revoked.
TEST_F(TokenFileTest, OfAnotherUserMayBeChangedByRootAndStaysTheirs) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root may give files away";
  constexpr ::uid_t another = 4321;
  ASSERT_EQ(::chown(temporary_.path().c_str(), another, another), 0);
  ASSERT_TRUE(add(record("ada")));
  EXPECT_THAT(read_tokens(file_).error().message, HasSubstr("another user's"));
  EXPECT_EQ(look_at_tokens(file_)->size(), 1);
  ASSERT_TRUE(add(record("bob")));
  for (const std::string name : {"tokens.json", "tokens.json.lock"}) {
    struct ::stat status {};
    ASSERT_EQ(::stat((temporary_.path() / name).c_str(), &status), 0);
    EXPECT_EQ(status.st_uid, another) << name;
    EXPECT_EQ(status.st_gid, another) << name;
  }
}

TEST_F(TokenFileTest, IsNotChangedThroughALink) {
  ASSERT_TRUE(add(record("ada")));
  const auto link = temporary_.path() / "link.json";
  std::filesystem::create_symlink(file_, link);
  EXPECT_EQ(read_tokens(link)->size(), 1);
  const auto changed = change_tokens(link, [](TokenRecords&) -> Result<> { return {}; });
  EXPECT_THAT(changed.error().message, HasSubstr("leads to: " + std::filesystem::canonical(file_).string()));
  EXPECT_TRUE(std::filesystem::is_symlink(link));
}

TEST_F(TokenFileTest, StaysAsItWasWhereAChangeFails) {
  ASSERT_TRUE(add(record("ada")));
  const auto changed = change_tokens(file_, [](TokenRecords& tokens) -> Result<> {
    tokens.clear();
    return fail("no");
  });
  EXPECT_EQ(changed.error().message, "no");
  EXPECT_EQ(read_tokens(file_)->size(), 1);
}

TEST_F(TokenFileTest, LosesNoneOfManyThatAreMadeAtOnce) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&] {
      for (int k = 0; k < 8; ++k)
        EXPECT_TRUE(add(record("ada")));
    });
  for (auto& thread : threads)
    thread.join();
  EXPECT_EQ(read_tokens(file_)->size(), 64);
}

// A token whose end cannot be read would otherwise be good for ever.
TEST_F(TokenFileTest, IsRefusedAsAWholeWhereAPartCannotBeUnderstood) {
  const std::string good = R"("id":"a","subject":"ada","sha256":"00","created":"2026-07-28T12:00:00Z")";
  EXPECT_EQ(mistake_in(R"({"tokens":[{)" + good + "}]}"), "read");
  EXPECT_THAT(mistake_in(R"({"tokens":[{)" + good + R"(,"revoked":"yesterday"}]})"),
              HasSubstr("has a time that is none"));
  EXPECT_THAT(mistake_in(R"({"tokens":[{)" + good + R"(,"expires":7}]})"), HasSubstr("has a time that is none"));
  EXPECT_THAT(mistake_in(R"({"tokens":[{)" + good + R"(,"roles":"user"}]})"), HasSubstr("roles"));
  EXPECT_THAT(mistake_in(R"({"tokens":[{"id":"a"}]})"), HasSubstr("lacks the text \"subject\""));
  EXPECT_THAT(mistake_in(R"({"tokens":[7]})"), HasSubstr("token 0 is no object"));
  EXPECT_THAT(mistake_in("{}"), HasSubstr("lacks the array"));
  EXPECT_THAT(mistake_in("{"), HasSubstr("tokens.json"));
}

}  // namespace
}  // namespace mcph
