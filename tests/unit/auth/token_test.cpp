#include "auth/token.hpp"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace mcph {
namespace {

TEST(Token, HasAnIdAndIsLikeNoOther) {
  std::set<std::string> tokens;
  for (int i = 0; i < 1000; ++i) {
    const auto token = make_token();
    EXPECT_EQ(token.size(), 64);
    const auto id = token_id(token);
    ASSERT_TRUE(id) << token;
    EXPECT_EQ("mph_" + std::string(*id), token.substr(0, 14));
    tokens.insert(token);
  }
  EXPECT_EQ(tokens.size(), 1000);
}

TEST(Token, IsNoneWithOneCharacterChanged) {
  const auto token = make_token();
  for (std::size_t i = 0; i < token.size(); ++i) {
    auto changed = token;
    changed[i] = changed[i] == 'a' ? 'b' : 'a';
    EXPECT_FALSE(token_id(changed)) << i;
  }
}

TEST(Token, IsNoneThatIsShorterOrLonger) {
  const auto token = make_token();
  for (const auto& text : {std::string(), token.substr(1), token.substr(0, 63), token + "0", " " + token, token + "\n"})
    EXPECT_FALSE(token_id(text)) << text;
}

TEST(Token, IsKeptAsItsDigest) {
  EXPECT_EQ(token_digest("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

}  // namespace
}  // namespace mcph
