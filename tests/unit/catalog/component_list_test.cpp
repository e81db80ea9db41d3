#include "catalog/component_list.hpp"

#include <initializer_list>
#include <set>
#include <string>

#include <gtest/gtest.h>

namespace mcph {
namespace {

ComponentList list_of(std::initializer_list<const char*> keys, const std::string& kind = "tools") {
  static std::set<std::string> texts;  // which outlive the lists
  ComponentList list(kind);
  for (const auto* key : keys)
    list.add(key, *texts.insert("\"" + std::string(key) + "\"").first);
  return list;
}

ComponentList::Page page_of(const ComponentList& list, std::optional<std::string_view> cursor, std::size_t size) {
  auto page = list.page(cursor, size);
  if (!page) ADD_FAILURE() << page.error().message;
  return page ? *std::move(page) : ComponentList::Page{};
}

constexpr auto bad_cursor = "the cursor is not one that this list gave out; ask without a cursor for the first page";

std::string refusal_of(const ComponentList& list, std::string_view cursor) {
  const auto page = list.page(cursor, 10);
  return page ? "accepted" : page.error().message;
}

TEST(ComponentList, WithoutComponentsIsOneEmptyPage) {
  const auto page = page_of(ComponentList("tools"), std::nullopt, 10);
  EXPECT_EQ(page.items, "");
  EXPECT_FALSE(page.has_more);
}

TEST(ComponentList, ThatFitsIsOnePageWithoutACursor) {
  const auto page = page_of(list_of({"a", "b"}), std::nullopt, 2);
  EXPECT_EQ(page.items, R"("a","b")");
  EXPECT_FALSE(page.has_more);
  EXPECT_EQ(page.next_cursor, "");
}

TEST(ComponentList, IsReadPageByPage) {
  const auto list = list_of({"a", "b", "c", "d", "e"});
  const auto first = page_of(list, std::nullopt, 2);
  EXPECT_EQ(first.items, R"("a","b")");
  ASSERT_TRUE(first.has_more);
  const auto second = page_of(list, first.next_cursor, 2);
  EXPECT_EQ(second.items, R"("c","d")");
  ASSERT_TRUE(second.has_more);
  const auto third = page_of(list, second.next_cursor, 2);
  EXPECT_EQ(third.items, R"("e")");
  EXPECT_FALSE(third.has_more);
}

TEST(ComponentList, GivesOutCursorsThatAreTextForAnUrl) {
  const auto page = page_of(list_of({"notes://a?b", "notes://c"}, "resources"), std::nullopt, 1);
  EXPECT_EQ(page.next_cursor.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"),
            std::string::npos);
}

TEST(ComponentList, KeepsItsCursorsWhenComponentsComeAndGo) {
  const auto cursor = page_of(list_of({"a", "b", "c", "d"}), std::nullopt, 2).next_cursor;
  EXPECT_EQ(page_of(list_of({"a", "aa", "b", "bb", "c"}), cursor, 9).items, R"("bb","c")");
  EXPECT_EQ(page_of(list_of({"a", "c", "d"}), cursor, 9).items, R"("c","d")");
  EXPECT_EQ(page_of(list_of({"a"}), cursor, 9).items, "");
}

TEST(ComponentList, RefusesACursorOfAnotherList) {
  const auto cursor = page_of(list_of({"a", "b"}, "resources"), std::nullopt, 1).next_cursor;
  EXPECT_EQ(refusal_of(list_of({"a", "b"}, "tools"), cursor), bad_cursor);
  EXPECT_EQ(refusal_of(list_of({"a", "b"}, "resourceTemplates"), cursor), bad_cursor);
  EXPECT_EQ(refusal_of(list_of({"a", "b"}, "resources"), cursor), "accepted");
}

TEST(ComponentList, RefusesWhatIsNoCursor) {
  const auto list = list_of({"a", "b"});
  EXPECT_EQ(refusal_of(list, ""), bad_cursor);
  EXPECT_EQ(refusal_of(list, "2"), bad_cursor);
  EXPECT_EQ(refusal_of(list, "not base64!"), bad_cursor);
  EXPECT_EQ(refusal_of(list, "dG9vbHM"), bad_cursor);      // "tools"
  EXPECT_EQ(refusal_of(list, "dG9vbHNhOmI"), bad_cursor);  // "toolsa:b"
  EXPECT_EQ(refusal_of(list, "dG9vbHM6YQ"), "accepted");   // "tools:a"
}

TEST(ComponentList, EqualsAnotherOfTheSameContentOnly) {
  EXPECT_EQ(list_of({"a", "b"}), list_of({"a", "b"}));
  EXPECT_NE(list_of({"a", "b"}), list_of({"a"}));
  auto other = ComponentList("tools");
  other.add("a", "\"described otherwise\"");
  EXPECT_NE(list_of({"a"}), other);
}

}  // namespace
}  // namespace mcph
