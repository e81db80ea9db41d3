#include "sources/upstream/upstream_listing.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/json_text.hpp"

namespace mcph {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

OrderedJson tool(const std::string& name) {
  return {{"name", name}, {"inputSchema", {{"type", "object"}}}};
}

std::string page(std::vector<OrderedJson> tools, const OrderedJson& next = nullptr) {
  OrderedJson json = {{"tools", std::move(tools)}};
  if (!next.is_null()) json["nextCursor"] = next;
  return dump(json);
}

UpstreamNames names_with(const std::string& prefix) {
  UpstreamNames names;
  names.prefix = prefix;
  return names;
}

TEST(UpstreamPagesTest, FollowsCursorsToTheEnd) {
  UpstreamPages pages(UpstreamList::tools, false);
  ASSERT_TRUE(pages.add(page({tool("a")}, "next")).has_value());
  EXPECT_TRUE(pages.has_more());
  EXPECT_EQ(pages.cursor(), "next");
  ASSERT_TRUE(pages.add(page({tool("b")})).has_value());
  EXPECT_FALSE(pages.has_more());
  EXPECT_EQ(pages.take().size(), 2U);
}

TEST(UpstreamPagesTest, AreFreshForTheLeastTimeOfAll) {
  UpstreamPages pages(UpstreamList::tools, true);
  ASSERT_TRUE(pages.add(R"({"tools":[],"nextCursor":"2","ttlMs":60000})").has_value());
  ASSERT_TRUE(pages.add(R"({"tools":[],"nextCursor":"3","ttlMs":1000,"resultType":"complete"})").has_value());
  EXPECT_EQ(pages.ttl(), std::chrono::milliseconds(1000));
  ASSERT_TRUE(pages.add(R"({"tools":[],"ttlMs":-1})").has_value());
  EXPECT_EQ(pages.ttl(), std::chrono::milliseconds(0));
  EXPECT_EQ(UpstreamPages(UpstreamList::tools, true).ttl(), std::nullopt);
}

TEST(UpstreamPagesTest, AreNoneOfAnotherTypeOfResult) {
  for (const auto* const type : {"\"partial\"", "null", "7"}) {
    UpstreamPages pages(UpstreamList::tools, true);
    const auto added = pages.add(R"({"tools":[],"resultType":)" + std::string(type) + "}");
    ASSERT_TRUE(added.has_error()) << type;
    EXPECT_EQ(added.error().message,
              "its answer to tools/list has a resultType that is not complete (basic/index, \"ResultType\")");
  }
}

TEST(UpstreamPagesTest, MayHaveTheSameCursorOnEachPage) {
  UpstreamPages pages(UpstreamList::tools, true);
  for (const auto* const name : {"a", "b", "c"}) {
    ASSERT_TRUE(pages.add(page({tool(name)}, "next")).has_value());
    EXPECT_TRUE(pages.has_more());
  }
}

TEST(UpstreamPagesTest, EndWithAnEmptyCursorOfALegacyServer) {
  for (const bool is_modern : {false, true}) {
    UpstreamPages pages(UpstreamList::tools, is_modern);
    ASSERT_TRUE(pages.add(page({tool("a")}, "")).has_value());
    EXPECT_EQ(pages.has_more(), is_modern);
  }
}

TEST(UpstreamPagesTest, KeepTheOrderOfASchema) {
  UpstreamPages pages(UpstreamList::tools, false);
  ASSERT_TRUE(pages.add(R"({"tools":[{"name":"a","inputSchema":{"type":"object","properties":{"z":{},"a":{}}}}]})"));
  EXPECT_EQ(dump(pages.take()[0]["inputSchema"]["properties"]), R"({"z":{},"a":{}})");
}

TEST(UpstreamListingTest, AListThatFailedIsARemark) {
  UpstreamLists lists;
  lists.tools.push_back(OrderedJson(tool("a")));
  lists.failed.emplace(UpstreamList::prompts, "it answered prompts/list with the error -32603: no");
  const auto description = describe_upstream(std::move(lists), names_with(""));
  EXPECT_THAT(description.remarks, ElementsAre("a list of the upstream is left out: it answered prompts/list with the "
                                               "error -32603: no"));
  EXPECT_TRUE(description.tools.contains("a"));
}

TEST(UpstreamPagesTest, HasBounds) {
  UpstreamPages many(UpstreamList::tools, false);
  for (std::size_t i = 0; i < UpstreamPages::max_pages; ++i)
    ASSERT_TRUE(many.add(page({}, std::to_string(i))).has_value());
  EXPECT_THAT(many.add(page({})).error().message, HasSubstr("more than 200 pages"));
  UpstreamPages long_page(UpstreamList::tools, false);
  EXPECT_THAT(long_page.add(page({}) + std::string(UpstreamPages::max_bytes, ' ')).error().message, HasSubstr("bytes"));
}

TEST(UpstreamPagesTest, RefusesWhatIsNoList) {
  UpstreamPages pages(UpstreamList::prompts, false);
  EXPECT_THAT(pages.add(R"({"prompts":"none"})").error().message, HasSubstr("prompts/list has no array \"prompts\""));
  EXPECT_THAT(UpstreamPages(UpstreamList::tools, false).add(page({}, 7)).error().message, HasSubstr("is no string"));
}

TEST(UpstreamPagesTest, WhatCannotBeReadCostsOnlyItself) {
  UpstreamPages pages(UpstreamList::tools, false);
  const auto deep = std::string(200, '[') + std::string(200, ']');
  const auto listed = R"({"tools":[{"name":"deep","x":)" + deep + R"(},{"name":"a","b":1,"b":2},{"x":}]})";
  ASSERT_TRUE(pages.add(listed).has_value());
  EXPECT_FALSE(pages.has_more());
  EXPECT_EQ(dump(OrderedJson(pages.take())), R"([{"b":2,"name":"a"}])");
  const auto faulty = pages.take_faulty();
  ASSERT_EQ(faulty.size(), 2U);
  EXPECT_EQ(faulty[0].key, "deep");
  EXPECT_THAT(faulty[0].why, HasSubstr("is JSON nested deeper than 64 levels"));
  EXPECT_EQ(faulty[1].key, "");
  EXPECT_THAT(faulty[1].why, HasSubstr("is not valid JSON"));
}

TEST(DescribeUpstreamTest, TellsWhatCouldNotBeReadUnlessItIsNotWanted) {
  UpstreamNames names;
  names.include = {*WrittenPattern::read("tool:a")};
  const auto described = describe_upstream(
      {.faulty = {{UpstreamList::tools, "a", "is odd"}, {UpstreamList::tools, "b", "is odd, too"}}}, names);
  EXPECT_THAT(described.remarks, ElementsAre("tools \"a\" of the upstream is left out: is odd"));
}

TEST(DescribeUpstreamTest, GivesToolsAndPromptsTheirNamesHere) {
  auto names = names_with("wiki_");
  names.rename.emplace("search", "look_up");
  const auto described =
      describe_upstream({.tools = {tool("search"), tool("read")}, .prompts = {{{"name", "greet"}}}}, names);
  EXPECT_THAT(described.tools, ElementsAre(Pair("look_up", "search"), Pair("wiki_read", "read")));
  EXPECT_THAT(described.prompts, ElementsAre(Pair("wiki_greet", "greet")));
  EXPECT_EQ(OrderedJson::parse(described.document)["tools"][0]["name"], "look_up");
}

TEST(DescribeUpstreamTest, LeavesOutWhatIsNotWanted) {
  UpstreamNames names;
  names.include = {*WrittenPattern::read("tool:read_*")};
  names.exclude = {*WrittenPattern::read("tool:read_all")};
  const auto described = describe_upstream({.tools = {tool("read_one"), tool("read_all"), tool("write")}}, names);
  EXPECT_THAT(described.tools, ElementsAre(Pair("read_one", "read_one")));
  EXPECT_TRUE(described.remarks.empty());
}

TEST(DescribeUpstreamTest, SaysWhichNamesNothingHas) {
  UpstreamNames names;
  names.include = {*WrittenPattern::read("tool:read_*"), *WrittenPattern::read("tool:serach"),
                   *WrittenPattern::read("resource:*")};
  names.exclude = {*WrittenPattern::read("prompt:read_one")};
  names.rename = {{"read_one", "first"}, {"wirte", "write"}};
  const auto described = describe_upstream({.tools = {tool("read_one")}}, names);
  EXPECT_THAT(described.remarks,
              ElementsAre(R"("include" has tool:serach, which nothing of the upstream is called)",
                          R"("exclude" has prompt:read_one, which nothing of the upstream is called)",
                          R"("rename" has wirte, which nothing of the upstream is called)"));
}

TEST(DescribeUpstreamTest, AFaultyComponentCostsOnlyItself) {
  auto faulty = tool("faulty");
  faulty["inputSchema"]["type"] = "array";
  const auto described = describe_upstream({.tools = {tool("a/b c"), faulty, 7, tool("fine"), tool("fine")}}, {});
  EXPECT_THAT(described.tools, ElementsAre(Pair("a_b_c", "a/b c"), Pair("fine", "fine")));
  EXPECT_THAT(described.remarks, ElementsAre(HasSubstr("\"faulty\""), HasSubstr("has no \"name\""),
                                             HasSubstr("another one has the same name here")));
}

TEST(DescribeUpstreamTest, LeavesOutTemplatesThatAreTooMany) {
  UpstreamLists lists;
  for (int i = 0; i < 40; ++i) {
    const auto text = "t://" + std::string(1000, 'x') + std::to_string(i) + "/{a}";
    lists.resource_templates.push_back(OrderedJson{{"name", "t"}, {"uriTemplate", text}});
  }
  const auto described = describe_upstream(std::move(lists), {});
  EXPECT_EQ(OrderedJson::parse(described.document)["resourceTemplates"].size(), 32U);
  ASSERT_EQ(described.remarks.size(), 8U);
  EXPECT_THAT(described.remarks[0], HasSubstr("uriTemplate is one too many"));
}

TEST(DescribeUpstreamTest, TheUpstreamHasNoSayInMattersOfTheHost) {
  auto each = tool("run");
  each["_meta"] = {{"mcp-plugin-host/tags", {"trusted"}}, {"theirs", 1}};
  each["execution"] = {{"taskSupport", "required"}, {"timeoutMs", 1}};
  const auto described = describe_upstream({.tools = {each}}, {});
  const auto shown = OrderedJson::parse(described.document)["tools"][0];
  EXPECT_EQ(dump(shown["_meta"]), R"({"theirs":1})");
  EXPECT_FALSE(shown.contains("execution"));
}

}  // namespace
}  // namespace mcph
