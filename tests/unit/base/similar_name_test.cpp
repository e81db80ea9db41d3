#include "base/similar_name.hpp"

#include <gtest/gtest.h>

namespace mcph {
namespace {

TEST(SimilarName, IsTheNearestWithinTwoLetters) {
  EXPECT_EQ(similar_name("srve", {"serve", "stdio"}), "serve");
  EXPECT_EQ(similar_name("--componets", {"--control", "--components"}), "--components");
  EXPECT_EQ(similar_name("lisst", {"last", "list"}), "list");
  EXPECT_EQ(similar_name("serve", {}), "");
  EXPECT_EQ(similar_name("abcde", {"abxyz", "ab"}), "");
}

TEST(SimilarName, OfAShortOneIsTheNearestWithinOneLetter) {
  EXPECT_EQ(similar_name("lst", {"last", "list"}), "last");
  EXPECT_EQ(similar_name("wiat", {"wake", "wait"}), "wait");
  EXPECT_EQ(similar_name("map", {"zip"}), "");
  EXPECT_EQ(similar_name("a", {"b"}), "") << "nothing of it is the same";
}

}  // namespace
}  // namespace mcph
