#include "payments/solana_message.hpp"

#include <string>

#include <gtest/gtest.h>

namespace mcph {
namespace {

using namespace std::string_literals;

const std::string solana_signature(64, 's');
const std::string solana_account(32, 'a');
const std::string solana_blockhash(32, 'b');

// Its header, two accounts, a blockhash, and an instruction with one account and this data.
std::string legacy_message(const std::string& data = "\3xyz") {
  return "\1\0\1"s + "\2" + solana_account + solana_account + solana_blockhash + "\1" + "\1" + "\1\0"s + data;
}

// The same with a table in which two accounts are looked up.
std::string versioned_message() {
  return "\x80" + legacy_message() + "\1" + solana_account + "\1\5" + "\1\6";
}

std::string signed_by_one(const std::string& message) {
  return "\1" + solana_signature + message;
}

TEST(SolanaMessageTest, IsAllButTheSignatures) {
  for (const auto& message : {legacy_message(), versioned_message()}) {
    EXPECT_EQ(solana_message_in(signed_by_one(message)), message);
    EXPECT_EQ(solana_message_in("\2" + solana_signature + std::string(64, '\0') + message), message);
  }
}

TEST(SolanaMessageTest, IsNoneThatIsCutShort) {
  for (const auto& message : {legacy_message(), versioned_message()}) {
    const auto whole = signed_by_one(message);
    for (std::size_t size = 0; size < whole.size(); ++size)
      EXPECT_EQ(solana_message_in(whole.substr(0, size)), "") << size;
  }
}

TEST(SolanaMessageTest, IsNoneWithBytesBehindItsEnd) {
  for (const auto& message : {legacy_message(), versioned_message()}) {
    EXPECT_EQ(solana_message_in(signed_by_one(message) + "\0"s), "");
    EXPECT_EQ(solana_message_in(signed_by_one(message) + solana_signature), "");
  }
}

TEST(SolanaMessageTest, HasLengthsOfSeveralBytesWhereTheyNeedThem) {
  const auto long_one = legacy_message("\xC8\1" + std::string(200, 'x'));
  EXPECT_EQ(solana_message_in(signed_by_one(long_one)), long_one);
  EXPECT_EQ(solana_message_in(signed_by_one(legacy_message("\x83\0xyz"s))), "");
  EXPECT_EQ(solana_message_in(signed_by_one(legacy_message("\x83\x80\0xyz"s))), "");
  EXPECT_EQ(solana_message_in(signed_by_one(legacy_message("\x83\x80\x80\0xyz"s))), "");
  EXPECT_EQ(solana_message_in("\x81\0"s + solana_signature + legacy_message()), "");
}

TEST(SolanaMessageTest, IsOfNoVersionThatIsNotKnown) {
  auto message = versioned_message();
  message[0] = '\x81';
  EXPECT_EQ(solana_message_in(signed_by_one(message)), "");
}

}  // namespace
}  // namespace mcph
