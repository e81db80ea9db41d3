#include "base/json_members.hpp"

#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace mcph {
namespace {

using Pieces = std::vector<std::pair<std::string, std::string>>;

// Of what is a whole object.
Pieces pieces_of(std::string_view text) {
  Pieces pieces;
  JsonMembers members(text);
  while (members.next())
    pieces.emplace_back(members.key(), members.value());
  EXPECT_TRUE(members.is_whole()) << text;
  return pieces;
}

bool is_whole(std::string_view text) {
  JsonMembers members(text);
  while (members.next()) {
  }
  return members.is_whole();
}

TEST(JsonMembersTest, GivesThemAsTheyAreWritten) {
  EXPECT_EQ(pieces_of("{}"), Pieces());
  EXPECT_EQ(pieces_of(" { } \n"), Pieces());
  EXPECT_EQ(pieces_of(R"( {"a": 1 , "b" :{"x":[1,{}],"y":"}"}, "c\"":"\\", "d":[] } )"),
            (Pieces{{"a", "1"}, {"b", R"({"x":[1,{}],"y":"}"})"}, {"c\\\"", R"("\\")"}, {"d", "[]"}}));
}

TEST(JsonMembersTest, KnowsThatItWasNotAllOfAnObject) {
  for (const auto* const text :
       {"", " ", "[]", "7", "{", "{,}", "{\"a\"", "{\"a\":", "{\"a\":}", "{\"a\":1", "{\"a\":1,}", "{\"a\":1]",
        "{\"a\":[1}", "{\"a\":\"x}", "{\"a\":\"x\\", "{} {}", "{\"a\":1}x", "{1:2}"})
    EXPECT_FALSE(is_whole(text)) << text;
}

TEST(JsonElementsTest, GivesThemAsTheyAreWritten) {
  using Elements = std::vector<std::string_view>;
  EXPECT_EQ(json_elements(" [ ] "), Elements());
  EXPECT_EQ(json_elements(R"([1 , {"a":[1,2],"b":"],"} ,"\"", []])"),
            (Elements{"1", R"({"a":[1,2],"b":"],"})", R"("\"")", "[]"}));
}

TEST(JsonElementsTest, GivesNoMoreThanAreWanted) {
  using Elements = std::vector<std::string_view>;
  EXPECT_EQ(json_elements("[1,2,3]", 2), (Elements{"1", "2"}));
  EXPECT_EQ(json_elements("[1,2]", 3), (Elements{"1", "2"}));
}

TEST(JsonElementsTest, KnowsThatItWasNotAllOfAnArray) {
  for (const auto* const text : {"", " ", "{}", "7", "[", "[,]", "[1", "[1,", "[1,]", "[,1]", "[1}", "[\"x]", "[] []"})
    EXPECT_EQ(json_elements(text), std::nullopt) << text;
}

TEST(JsonMembersTest, FindsOneAndWritesOthers) {
  EXPECT_EQ(json_member(R"({"a":1,"b":2})", "b"), "2");
  EXPECT_EQ(json_member(R"({"a":{"b":2}})", "b"), std::nullopt);
  EXPECT_EQ(json_string(R"("a\u00e4\"")"), "a\xC3\xA4\"");
  EXPECT_EQ(json_string("7"), std::nullopt);
  std::string members;
  append_json_member(members, "a", "1");
  append_json_member(members, "b", "[]");
  EXPECT_EQ(members, R"("a":1,"b":[])");
}

}  // namespace
}  // namespace mcph
