#include "shared/search_words.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace plugins {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(SearchWords, AreWhatLiesBetweenSpacesAndHasALetterOrADigit) {
  EXPECT_THAT(search_words(" one  two\t+++ C++ \"x\" über\n"), ElementsAre("one", "two", "C++", "\"x\"", "über"));
  EXPECT_THAT(search_words("\" * - ( )"), IsEmpty());
  EXPECT_THAT(search_words(std::string("a\0b", 3)), ElementsAre("a", "b"));
  EXPECT_EQ(search_words(std::string(1000, 'a') + " b c d e f g h i j k l m n o p q r").size(), max_search_words);
}

TEST(SearchWords, HaveNoMoreTokensThanTheyMay) {
  std::string phrase = "a";
  for (int i = 1; i < 500; ++i)
    phrase += ".a";
  EXPECT_THAT(search_words("x (" + phrase), ElementsAre("x", "(" + phrase.substr(0, 2 * 31 - 1)));
  EXPECT_THAT(search_words(phrase + " x"), ElementsAre(phrase.substr(0, 2 * 32 - 1)));
  EXPECT_THAT(search_words("1.2.3-rc.4 a@example.com."), ElementsAre("1.2.3-rc.4", "a@example.com."));
}

TEST(SearchWords, AreQuotedSoThatNothingIsAnOperator) {
  EXPECT_EQ(all_of({"a", "OR", "b\"c"}), R"("a" "OR" "b""c")");
  EXPECT_EQ(all_of({"a", "b"}, LastWord::prefix), R"("a" "b" *)");
  EXPECT_EQ(all_of({}), "");
}

}  // namespace
}  // namespace plugins
