#include "sources/finder/tool_search.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "catalog/rights.hpp"
#include "sources/finder/search_terms.hpp"
#include "support/served_plugin.hpp"

namespace mcph {
namespace {

using test::served_plugin;
using test::tool;
using test::tools;
using Names = std::vector<std::string>;

std::string described(const std::string& name, const std::string& description, const std::string& parameters = "") {
  return R"({"name":")" + name + R"(","description":")" + description +
         R"(","inputSchema":{"type":"object","properties":{)" + parameters + "}}}";
}

std::shared_ptr<const Catalog> catalog_of(std::uint64_t generation, std::vector<ServedPlugin> plugins) {
  return std::make_shared<const Catalog>(generation, std::move(plugins));
}

// Who may see all tools but one.
class AllBut final : public Rights {
 public:
  explicit AllBut(std::string hidden) : hidden_(std::move(hidden)) {}

  Access to(const Tool& tool, std::string_view) const override { return {.visible = tool.name != hidden_}; }
  Access to(const Prompt&) const override { return {}; }
  Access to(const Resource&) const override { return {}; }
  Access to(const ResourceTemplate&) const override { return {}; }
  bool may_read(std::string_view) const override { return false; }
  bool may_call(std::string_view) const override { return false; }

 private:
  const std::string hidden_;
};

class ToolSearchTest : public ::testing::Test {
 protected:
  Names found(const std::shared_ptr<const Catalog>& view, std::string_view query, std::size_t limit = 5) {
    Names names;
    for (const auto* const each : search_.search(view, query, limit))
      names.push_back(each->name);
    return names;
  }

  ToolSearch search_;
  const ServedPlugin plugin_ = served_plugin(
      "a.so", tools(described("create_issue", "Opens a new issue in a repository.",
                              R"("labels":{"type":"array","description":"Names of labels, such as bug"})") +
                    "," + described("listBranches", "Lists the branches of a GitHub repository.") + "," +
                    described("merge_pull_request", "Merges a pull request.") + "," +
                    described("get_weather", "What the weather will be at a place.")));
  const std::shared_ptr<const Catalog> catalog_ = catalog_of(1, {plugin_});
};

TEST_F(ToolSearchTest, FindsByNameDescriptionAndParameters) {
  EXPECT_EQ(found(catalog_, "merge pull request").front(), "merge_pull_request");
  EXPECT_EQ(found(catalog_, "how will the weather be?"), Names{"get_weather"});
  EXPECT_EQ(found(catalog_, "bug"), Names{"create_issue"});
  EXPECT_EQ(found(catalog_, "labels"), Names{"create_issue"});
}

TEST_F(ToolSearchTest, TakesOtherFormsOfAWordAndNamesInOtherSpellings) {
  EXPECT_EQ(found(catalog_, "creating issues").front(), "create_issue");
  EXPECT_EQ(found(catalog_, "branch").front(), "listBranches");
  EXPECT_EQ(found(catalog_, "GITHUB"), Names{"listBranches"});
  EXPECT_EQ(found(catalog_, "LISTBRANCHES"), Names{"listBranches"});
}

TEST_F(ToolSearchTest, FindsNothingWhereNoWordFits) {
  EXPECT_EQ(found(catalog_, "pay an invoice"), Names{});
  EXPECT_EQ(found(catalog_, "what is the"), Names{}) << "words that say nothing";
  EXPECT_EQ(found(catalog_, " .,;"), Names{});
  EXPECT_EQ(found(catalog_of(1, {}), "issue"), Names{});
}

TEST_F(ToolSearchTest, TellsNoMoreThanIsAskedFor) {
  EXPECT_EQ(found(catalog_, "repository", 1).size(), 1U);
  EXPECT_EQ(found(catalog_, "repository", 0), Names{});
  EXPECT_EQ(found(catalog_, "repository", 50).size(), 2U);
}

TEST_F(ToolSearchTest, TakesQuestionsOfAnyLength) {
  std::string question = "weather ";
  for (int i = 0; i < 100'000; ++i)
    question += "word" + std::to_string(i) + " ";
  EXPECT_EQ(found(catalog_, question), Names{"get_weather"});
}

TEST_F(ToolSearchTest, FindsOnlyWhatAViewHas) {
  const auto view = std::make_shared<const Catalog>(*catalog_, std::make_shared<const AllBut>("create_issue"));
  EXPECT_EQ(found(view, "open issue repository"), Names{"listBranches"});
  EXPECT_EQ(found(catalog_, "open issue repository").front(), "create_issue");
}

// Whether a word is rare is no matter of tools that are hidden.
TEST_F(ToolSearchTest, OrdersWhatAViewHasWithoutRegardToWhatItHasNot) {
  const auto ours =
      tools(described("a", "red green") + "," + described("b", "green blue") + "," + described("z", "red"));
  const auto alone = catalog_of(2, {served_plugin("a.so", ours)});
  const auto with_others = catalog_of(
      3, {served_plugin("a.so", ours), served_plugin("b.so", tools(described("hidden", "blue blue blue green")))});
  const auto view = std::make_shared<const Catalog>(*with_others, std::make_shared<const AllBut>("hidden"));
  for (const auto* query : {"red blue", "green red", "blue"})
    EXPECT_EQ(found(alone, query), found(view, query)) << query;
}

TEST_F(ToolSearchTest, KnowsWhatHasChangedAndWhatHasStayed) {
  EXPECT_EQ(found(catalog_, "weather"), Names{"get_weather"});
  const auto next =
      catalog_of(2, {plugin_, served_plugin("b.so", tools(described("forecast", "The weather to come.")))});
  EXPECT_EQ(found(next, "weather").size(), 2U);
  EXPECT_EQ(found(catalog_, "weather"), Names{"get_weather"}) << "a request that began before";
  EXPECT_EQ(found(catalog_of(3, {}), "weather"), Names{});
}

TEST_F(ToolSearchTest, DoesNotFindTheToolThatSearches) {
  const auto with_finder = catalog_of(4, {served_plugin("a.so", tools(described("find_tools", "Finds a tool.")))});
  EXPECT_EQ(found(with_finder, "find tool"), Names{});
}

TEST_F(ToolSearchTest, TakesDescriptionsThatAreLong) {
  std::string text;
  for (int i = 0; i < 20'000; ++i)
    text += "w" + std::to_string(i) + " ";
  const auto long_ones = catalog_of(5, {served_plugin("a.so", tools(described("speak", text)))});
  EXPECT_EQ(found(long_ones, "w7"), Names{"speak"});
  EXPECT_EQ(found(long_ones, "w19000"), Names{}) << "beyond what is kept of a tool";
}

TEST(SearchTerms, HaveWhatFormsOfAWordHaveInCommon) {
  const auto same = [](const char* one, const char* other) { return search_terms(one) == search_terms(other); };
  EXPECT_TRUE(same("create", "creating"));
  EXPECT_TRUE(same("created", "creation"));
  EXPECT_TRUE(same("delete", "deleting"));
  EXPECT_TRUE(same("repository", "repositories"));
  EXPECT_TRUE(same("branch", "branches"));
  EXPECT_TRUE(same("running", "run"));
  EXPECT_TRUE(same("make folders", "create directory"));
  EXPECT_FALSE(same("status", "state"));
  EXPECT_FALSE(same("class", "clas"));
}

TEST(SearchTerms, AreThePartsOfNames) {
  EXPECT_EQ(search_terms("get_file-contents.v2"), (Names{"get", "fil", "content", "v2"}));
  EXPECT_EQ(search_terms("HTTPServer"), (Names{"http", "server", "httpserver"}));
  EXPECT_EQ(search_terms("the of and"), Names{});
  EXPECT_EQ(search_terms("größe"), Names{"größe"});
}

}  // namespace
}  // namespace mcph
