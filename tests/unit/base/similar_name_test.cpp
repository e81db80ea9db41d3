#include "base/similar_name.hpp"

#include <gtest/gtest.h>

namespace mcph {
namespace {

TEST(SimilarName, IsTheNearestWithinTwoLetters) {
  EXPECT_EQ(similar_name("srve", {"serve", "stdio"}), "serve");
  EXPECT_EQ(similar_name("--componets", {"--control", "--components"}), "--components");
  EXPECT_EQ(similar_name("lisst", {"last", "list"}), "list");
  EXPECT_EQ(similar_name("serve", {}), "");
  EXPECT_EQ(similar_name("abcd", {"abxyz", "a"}), "");
}

}  // namespace
}  // namespace mcph
