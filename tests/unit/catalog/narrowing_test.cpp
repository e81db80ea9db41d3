#include "catalog/narrowing.hpp"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "catalog/components.hpp"
#include "catalog/published_catalog.hpp"
#include "support/principals.hpp"
#include "support/served_plugin.hpp"

namespace mcph {
namespace {

using test::served_plugin;
using test::tool;
using test::tools;

// Sees all but what has "secret" in its name.
class NoSecrets final : public Rights {
 public:
  Access to(const Tool& tool, std::string_view) const override {
    return {.visible = tool.name.find("secret") == std::string::npos};
  }
  Access to(const Prompt&) const override { return {.visible = true}; }
  Access to(const Resource&) const override { return {.visible = true}; }
  Access to(const ResourceTemplate&) const override { return {.visible = true}; }
  bool may_read(std::string_view) const override { return true; }
  bool may_call(std::string_view tool) const override { return tool.find("secret") == std::string_view::npos; }
};

class NoSecretsPolicy final : public Policy {
 public:
  std::shared_ptr<const Rights> rights_of(const Principal&) const override { return rights_; }

 private:
  const std::shared_ptr<const Rights> rights_ = std::make_shared<NoSecrets>();
};

class NarrowingTest : public ::testing::Test {
 protected:
  NarrowingTest() {
    published_.publish(std::make_shared<const Catalog>(
        1, std::vector{served_plugin("sums.so", tools(tool("add") + "," + tool("add_secret"))),
                       served_plugin("texts.so", tools(tool("join")))}));
  }

  std::string seen(Narrowing::Wishes wishes) {
    const auto viewer = ada_.narrowed(std::make_shared<const Narrowing>(std::move(wishes)));
    const auto view = published_.current(viewer);
    std::string names;
    for (const auto* name : {"add", "add_secret", "join"}) {
      if (view->find_tool(name) != nullptr) names.append(names.empty() ? "" : " ").append(name);
    }
    return names;
  }

  PublishedCatalog published_;
  const Principal ada_ = test::principal("ada");
};

TEST_F(NarrowingTest, ShowsTheToolsAndPluginsThatAreWantedAndNoOthers) {
  EXPECT_EQ(seen({}), "add add_secret join");
  EXPECT_EQ(seen({.tools = {"add"}}), "add");
  EXPECT_EQ(seen({.plugins = {"texts"}}), "join");
  EXPECT_EQ(seen({.plugins = {"texts"}, .tools = {"add"}}), "add join");
  EXPECT_EQ(seen({.plugins = {"sums"}, .excluded = {"add"}}), "add_secret");
  EXPECT_EQ(seen({.tools = {"unheard_of"}}), "");
}

TEST_F(NarrowingTest, ShowsNothingThatIsHidden) {
  published_.govern(std::make_shared<NoSecretsPolicy>());
  EXPECT_EQ(seen({.tools = {"add", "add_secret"}}), "add");
  EXPECT_EQ(seen({.plugins = {"sums"}}), "add");
}

TEST_F(NarrowingTest, SaysNothingOfWhatIsHiddenAndWasWithdrawn) {
  published_.govern(std::make_shared<NoSecretsPolicy>());
  published_.publish(std::make_shared<const Catalog>(
      2, std::vector<ServedPlugin>{}, "", nullptr,
      std::vector<WithdrawnPlugin>{{{.file = "sums.so", .name = "sums", .version = "1", .digest = ""},
                                    test::components_of(tools(tool("add") + "," + tool("add_secret")))}}));
  EXPECT_TRUE(published_.current()->is_withdrawn_tool("add_secret"));
  const auto view = published_.current(ada_);
  EXPECT_TRUE(view->is_withdrawn_tool("add"));
  EXPECT_FALSE(view->is_withdrawn_tool("add_secret"));
  EXPECT_FALSE(view->is_withdrawn_tool("join"));
}

TEST_F(NarrowingTest, MakesNoOtherPrincipal) {
  const auto narrowed = ada_.narrowed(std::make_shared<const Narrowing>(Narrowing::Wishes{.tools = {"add"}}));
  EXPECT_EQ(narrowed, ada_);
  EXPECT_FALSE(published_.same_view(narrowed, ada_));
  const auto again = ada_.narrowed(std::make_shared<const Narrowing>(Narrowing::Wishes{.tools = {"add"}}));
  EXPECT_TRUE(published_.same_view(narrowed, again));
  EXPECT_EQ(published_.current(narrowed), published_.current(again));
}

TEST_F(NarrowingTest, ShowsAllOfOneUpstreamAndNothingElse) {
  const auto upstream = std::make_shared<test::FakePlugin>("/components/tools/wiki.mcp.json");
  upstream->become_upstream();
  const auto of_wiki = test::components_of(R"({"tools":[)" + tool("search") + R"(],"prompts":[{"name":"ask"}]})");
  published_.publish(std::make_shared<const Catalog>(
      2, std::vector{served_plugin("sums.so", R"({"tools":[)" + tool("add") + R"(],"prompts":[{"name":"greet"}]})"),
                     ServedPlugin{upstream, of_wiki}}));
  const auto view_of = [&](const std::string& name) {
    return published_.current(ada_.narrowed(std::make_shared<const Narrowing>(Narrowing::Wishes{.upstream = name})));
  };
  const auto wiki = view_of(upstream->identity().name);
  EXPECT_NE(wiki->find_tool("search"), nullptr);
  EXPECT_NE(wiki->find_prompt("ask"), nullptr);
  EXPECT_EQ(wiki->find_tool("add"), nullptr);
  EXPECT_EQ(wiki->find_prompt("greet"), nullptr);
  EXPECT_EQ(view_of("sums")->find_tool("add"), nullptr) << "a plugin is no upstream";
  EXPECT_EQ(seen({.upstream = upstream->identity().name, .tools = {"add"}}), "");
}

class NarrowedListener final : public ListListener {
 public:
  NarrowedListener(const Principal& principal, Narrowing::Wishes wishes)
      : principal_(principal.narrowed(std::make_shared<const Narrowing>(std::move(wishes)))) {}
  void lists_changed(ListKinds kinds) override { heard.push_back(kinds); }
  Principal principal() const override { return principal_; }
  std::vector<ListKinds> heard;

 private:
  const Principal principal_;
};

TEST_F(NarrowingTest, TellsOfChangesOfWhatIsWanted) {
  published_.govern(std::make_shared<NoSecretsPolicy>());
  const auto sums = std::make_shared<NarrowedListener>(ada_, Narrowing::Wishes{.plugins = {"sums"}});
  const auto texts = std::make_shared<NarrowedListener>(ada_, Narrowing::Wishes{.tools = {"join", "split"}});
  const auto secret = std::make_shared<NarrowedListener>(ada_, Narrowing::Wishes{.tools = {"add_secret"}});
  for (const auto& listener : {sums, texts, secret})
    published_.listen(listener);
  const auto publish = [&](std::uint64_t generation, const std::string& of_sums, const std::string& of_texts) {
    published_.publish(std::make_shared<const Catalog>(
        generation, std::vector{served_plugin("sums.so", of_sums), served_plugin("texts.so", of_texts)}));
  };
  using Heard = std::vector<ListKinds>;
  publish(2, tools(tool("add") + "," + tool("add_secret")), tools(tool("join") + "," + tool("split")));
  EXPECT_EQ(texts->heard, Heard{{.tools = true}});
  EXPECT_EQ(sums->heard, Heard{});
  publish(3, tools(tool("add")), tools(tool("join") + "," + tool("split")));
  EXPECT_EQ(sums->heard, Heard{}) << "what has gone was hidden";
  publish(4, R"({"prompts":[{"name":"greet"}],"tools":[]})", tools(tool("join") + "," + tool("split")));
  EXPECT_EQ(sums->heard, (Heard{{.tools = true, .prompts = true}}));
  EXPECT_EQ(texts->heard, (Heard{{.tools = true}, {.prompts = true}}));
  EXPECT_EQ(secret->heard, Heard{{.prompts = true}});
  sums->heard.clear();
  publish(5, tools(tool("join")), tools(tool("split")));
  EXPECT_EQ(sums->heard, (Heard{{.tools = true, .prompts = true}})) << "it is another plugin's now";
}

TEST_F(NarrowingTest, TellsNothingOfOthersWhereOneUpstreamIs) {
  const auto wiki = std::make_shared<NarrowedListener>(ada_, Narrowing::Wishes{.upstream = "wiki"});
  published_.listen(wiki);
  published_.publish(std::make_shared<const Catalog>(
      2, std::vector{served_plugin("sums.so", R"({"prompts":[{"name":"greet"}],"tools":[]})")}));
  EXPECT_EQ(wiki->heard, std::vector<ListKinds>{});
}

TEST_F(NarrowingTest, TellsOfWhatHasBecomeThatOfOneUpstream) {
  const auto docs = std::make_shared<test::FakePlugin>("/components/tools/docs.mcp.json");
  const auto wiki = std::make_shared<test::FakePlugin>("/components/tools/wiki.mcp.json");
  for (const auto& each : {docs, wiki})
    each->become_upstream();
  const auto asks = test::components_of(R"({"prompts":[{"name":"ask"}]})");
  const auto publish = [&](std::uint64_t generation, const std::shared_ptr<const Components>& of_docs) {
    published_.publish(std::make_shared<const Catalog>(
        generation, std::vector{ServedPlugin{docs, of_docs}, ServedPlugin{wiki, asks}}));
  };
  publish(2, asks);
  const auto at_wiki = std::make_shared<NarrowedListener>(ada_, Narrowing::Wishes{.upstream = wiki->identity().name});
  published_.listen(at_wiki);
  publish(3, test::components_of("{}"));
  EXPECT_EQ(at_wiki->heard, (std::vector<ListKinds>{{.prompts = true}}));
}

// Clients can wish for anything, and what is kept of it has a bound.
TEST_F(NarrowingTest, KeepsABoundedNumberOfViews) {
  const auto view_without = [&](const std::string& name) {
    return published_.current(ada_.narrowed(std::make_shared<const Narrowing>(Narrowing::Wishes{.excluded = {name}})));
  };
  const std::weak_ptr<const Catalog> of_another = view_without("another");
  std::vector<std::weak_ptr<const Catalog>> views;
  for (int i = 0; i < 1000; ++i)
    views.push_back(view_without(std::to_string(i)));
  EXPECT_LE(std::ranges::count_if(views, [](const auto& view) { return !view.expired(); }), 256);
  EXPECT_FALSE(of_another.expired()) << "who wishes for many mostly loses their own";
}

TEST_F(NarrowingTest, TellsOfAToolThatHasAnotherPluginNowThoughAllSeeTheSame) {
  const auto sums = std::make_shared<NarrowedListener>(ada_, Narrowing::Wishes{.plugins = {"sums"}});
  published_.listen(sums);
  published_.publish(std::make_shared<const Catalog>(
      2, std::vector{served_plugin("sums.so", tools(tool("add_secret"))),
                     served_plugin("texts.so", tools(tool("join") + "," + tool("add")))}));
  EXPECT_EQ(sums->heard, std::vector<ListKinds>{{.tools = true}});
}

}  // namespace
}  // namespace mcph
