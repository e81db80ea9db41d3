#include "sources/finder/tool_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "catalog/rights.hpp"
#include "sources/finder/search_terms.hpp"
#include "support/served_plugin.hpp"

namespace mcph {
namespace {

using test::served_plugin;
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

// What a search is, without an index: each tool is looked at for each word.
class PlainSearch {
 public:
  void add(const std::string& name, const std::string& description) {
    auto& weights = tools_[name];
    for (const auto& term : search_terms(name))
      weights[term] += 4;
    for (const auto& term : search_terms(description))
      weights[term] += 1;
  }

  std::map<std::string, double> scores(std::string_view query) const {
    std::map<std::string, double> scores;
    std::set<std::string> asked;
    for (const auto& term : search_terms(query)) {
      if (!asked.insert(term).second) continue;
      const auto has = [&](const auto& tool) { return tool.second.contains(term); };
      const auto with = static_cast<double>(std::ranges::count_if(tools_, has));
      const auto rarity = std::log(1 + (static_cast<double>(tools_.size()) - with + 0.5) / (with + 0.5));
      for (const auto& [name, weights] : tools_) {
        const auto weight = weights.find(term);
        if (weight == weights.end()) continue;
        double length = 0;
        for (const auto& [each, count] : weights)
          length += count;
        scores[name] += rarity * weight->second * 2.2 / (weight->second + 1.2 * (0.6 + 0.4 * length / 40));
      }
    }
    return scores;
  }

 private:
  std::map<std::string, std::map<std::string, double>> tools_;
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

TEST_F(ToolSearchTest, FindsWhatLookingAtEachToolFinds) {
  std::mt19937 random(1);
  const auto words = [&random](std::size_t count) {
    std::string text;
    for (std::size_t i = 0; i < count; ++i)
      text += "w" + std::to_string(std::min(random() % 60, random() % 60)) + " ";
    return text;
  };
  PlainSearch plain;
  std::vector<ServedPlugin> plugins;
  for (int plugin = 0; plugin < 5; ++plugin) {
    std::string list;
    for (int i = 0; i < 40; ++i) {
      const auto name = "w" + std::to_string(random() % 60) + "_" + std::to_string(plugin) + "x" + std::to_string(i);
      const auto description = words(1 + random() % 60);
      list += (list.empty() ? "" : ",") + described(name, description);
      plain.add(name, description);
    }
    plugins.push_back(served_plugin(std::to_string(plugin) + ".so", tools(list)));
  }
  // Some are known when the rest comes, before and behind them; and one is seen by nobody.
  found(catalog_of(1, {plugins[3], plugins[1]}), "w1");
  plugins.push_back(served_plugin("hidden.so", tools(described("hidden", words(30)))));
  const auto view = std::make_shared<const Catalog>(*catalog_of(2, plugins), std::make_shared<const AllBut>("hidden"));
  for (int i = 0; i < 50; ++i) {
    const auto query = words(1 + random() % 8);
    auto scores = plain.scores(query);
    double last = std::numeric_limits<double>::infinity();
    const auto all = found(view, query, 1000);
    EXPECT_EQ(all.size(), scores.size()) << query;
    for (const auto& name : all) {
      ASSERT_TRUE(scores.contains(name)) << name << " has no word of " << query;
      EXPECT_LE(scores[name], last + 1e-4) << name << " stands too far behind for " << query;
      last = scores[name];
    }
  }
}

TEST_F(ToolSearchTest, TellsOfEqualOnesTheFirstByName) {
  const auto view = catalog_of(2, {served_plugin("a.so", tools(described("y", "red") + "," + described("c", "red"))),
                                   served_plugin("b.so", tools(described("x", "red") + "," + described("b", "red")))});
  EXPECT_EQ(found(view, "red", 3), (Names{"b", "c", "x"}));
}

TEST_F(ToolSearchTest, KnowsPluginsThatHaveChangedTheirPlaces) {
  const auto other = served_plugin("b.so", tools(described("forecast", "The weather to come.")));
  const auto empty = served_plugin("c.so", tools(""));
  const auto before = catalog_of(1, {plugin_, empty, other});
  const auto after = catalog_of(2, {other, plugin_, empty});
  EXPECT_EQ(found(before, "weather forecast").front(), "forecast");
  EXPECT_EQ(found(after, "weather forecast"), found(before, "weather forecast"));
  EXPECT_EQ(found(after, "labels"), Names{"create_issue"});
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
