#include "catalog/published_catalog.hpp"

#include <new>
#include <utility>

#include <gtest/gtest.h>

#include "support/principals.hpp"
#include "support/served_plugin.hpp"

namespace mcph {
namespace {

using test::served_plugin;
using test::tool;
using test::tools;

class RecordingListener final : public ListListener {
 public:
  explicit RecordingListener(const PublishedCatalog& catalog) : catalog_(catalog) {}
  void lists_changed(ListKinds kinds) override {
    heard.push_back(kinds);
    generations.push_back(catalog_.current()->generation());
  }
  std::vector<ListKinds> heard;
  std::vector<std::uint64_t> generations;  // what a client would find if it asked at once

 private:
  const PublishedCatalog& catalog_;
};

std::shared_ptr<const Catalog> catalog_with(std::uint64_t generation, const std::string& document) {
  return std::make_shared<const Catalog>(generation, std::vector{served_plugin("a.so", document)});
}

class PublishedCatalogTest : public ::testing::Test {
 protected:
  std::shared_ptr<RecordingListener> listen() {
    auto listener = std::make_shared<RecordingListener>(published_);
    published_.listen(listener);
    return listener;
  }

  PublishedCatalog published_;
};

TEST_F(PublishedCatalogTest, IsEmptyAtFirst) {
  EXPECT_EQ(published_.current()->generation(), 0U);
  EXPECT_EQ(published_.current()->find_tool("a"), nullptr);
}

TEST_F(PublishedCatalogTest, TellsAListenerWhatChangedAfterItChanged) {
  const auto listener = listen();
  EXPECT_EQ(published_.publish(catalog_with(1, tools(tool("a")))), ListKinds{.tools = true});
  EXPECT_EQ(listener->heard, std::vector{ListKinds{.tools = true}});
  EXPECT_EQ(listener->generations, std::vector<std::uint64_t>{1});
}

TEST_F(PublishedCatalogTest, TellsNobodyWhenNoListChanged) {
  published_.publish(catalog_with(1, tools(tool("a"))));
  const auto listener = listen();
  EXPECT_EQ(published_.publish(catalog_with(2, tools(tool("a")))), ListKinds{});
  EXPECT_TRUE(listener->heard.empty());
  EXPECT_EQ(published_.current()->generation(), 2U);
}

TEST_F(PublishedCatalogTest, TellsEveryListener) {
  const auto first = listen();
  const auto second = listen();
  published_.publish(catalog_with(1, R"({"prompts":[{"name":"p"}]})"));
  EXPECT_EQ(first->heard, std::vector{ListKinds{.prompts = true}});
  EXPECT_EQ(second->heard, std::vector{ListKinds{.prompts = true}});
}

TEST_F(PublishedCatalogTest, ForgetsAListenerThatIsGone) {
  auto gone = listen();
  const auto stays = listen();
  const std::weak_ptr<RecordingListener> trace = gone;
  gone.reset();
  EXPECT_TRUE(trace.expired());
  published_.publish(catalog_with(1, tools(tool("a"))));
  EXPECT_EQ(stays->heard.size(), 1U);
}

TEST_F(PublishedCatalogTest, TellsThoseThatStayAmongManyThatAreGone) {
  std::vector<std::shared_ptr<RecordingListener>> stay;
  for (int i = 0; i < 100; ++i) {
    listen();
    if (i % 10 == 0) stay.push_back(listen());
  }
  published_.publish(catalog_with(1, tools(tool("a"))));
  for (const auto& listener : stay)
    EXPECT_EQ(listener->heard.size(), 1U);
}

TEST_F(PublishedCatalogTest, GivesUpItsLeasesWhenClearedAndTellsNobody) {
  auto served = served_plugin("a.so", tools(tool("a")));
  const std::weak_ptr<Plugin> plugin = served.plugin;
  published_.publish(std::make_shared<const Catalog>(1, std::vector{std::move(served)}));
  const auto listener = listen();
  published_.clear();
  EXPECT_TRUE(plugin.expired());
  EXPECT_TRUE(listener->heard.empty());
}

TEST_F(PublishedCatalogTest, LeavesAReaderTheCatalogItTook) {
  published_.publish(catalog_with(1, tools(tool("a"))));
  const auto taken = published_.current();
  published_.publish(catalog_with(2, "{}"));
  EXPECT_NE(taken->find_tool("a"), nullptr);
  EXPECT_EQ(published_.current()->find_tool("a"), nullptr);
}

// Each may use the tools that begin with his name.
class OwnTools final : public Rights {
 public:
  explicit OwnTools(std::string owner) : owner_(std::move(owner)) {}
  Access to(const Tool& tool, std::string_view /*plugin*/) const override {
    return {.visible = tool.name.starts_with(owner_)};
  }
  Access to(const Prompt&) const override { return {}; }
  Access to(const Resource&) const override { return {}; }
  Access to(const ResourceTemplate&) const override { return {}; }
  bool may_read(std::string_view) const override { return false; }
  bool may_call(std::string_view tool) const override { return tool.starts_with(owner_); }

 private:
  const std::string owner_;
};

class OwnToolsPolicy final : public Policy {
 public:
  std::shared_ptr<const Rights> rights_of(const Principal& principal) const override {
    if (principal.is_anonymous()) return nullptr;
    return principal.identity().subject == "ada" ? ada_ : bob_;
  }

 private:
  const std::shared_ptr<const Rights> ada_ = std::make_shared<OwnTools>("ada");
  const std::shared_ptr<const Rights> bob_ = std::make_shared<OwnTools>("bob");
};

class PrincipalsListener final : public ListListener {
 public:
  explicit PrincipalsListener(std::string name) : principal_(test::principal(name)) {}
  void lists_changed(ListKinds kinds) override { heard.push_back(kinds); }
  Principal principal() const override { return principal_; }
  std::vector<ListKinds> heard;

 private:
  const Principal principal_;
};

class GovernedCatalogTest : public ::testing::Test {
 protected:
  GovernedCatalogTest() {
    for (const auto& listener : {ada_, bob_, anybody_})
      published_.listen(listener);
  }
  bool sees(const std::string& name, const std::string& of) const {
    return published_.current(test::principal(name))->find_tool(of) != nullptr;
  }
  std::string list_of(const std::string& name) const {
    return published_.current(test::principal(name))->tools().page({}, 100)->items;
  }

  PublishedCatalog published_;
  const std::shared_ptr<PrincipalsListener> ada_ = std::make_shared<PrincipalsListener>("ada");
  const std::shared_ptr<PrincipalsListener> bob_ = std::make_shared<PrincipalsListener>("bob");
  const std::shared_ptr<PrincipalsListener> anybody_ = std::make_shared<PrincipalsListener>("");
};

TEST_F(GovernedCatalogTest, ShowsToEachWhatHeMayCall) {
  published_.govern(std::make_shared<const OwnToolsPolicy>());
  published_.publish(catalog_with(1, tools(tool("ada_1") + "," + tool("bob_1"))));
  EXPECT_TRUE(sees("ada", "ada_1"));
  EXPECT_FALSE(sees("ada", "bob_1"));
  EXPECT_EQ(list_of("ada"), tool("ada_1"));
  EXPECT_EQ(list_of("bob"), tool("bob_1"));
  EXPECT_EQ(list_of(""), tool("ada_1") + "," + tool("bob_1"));
  EXPECT_EQ(published_.current(test::principal("ada"))->generation(), 1U);
}

TEST_F(GovernedCatalogTest, TellsThoseWhoseViewChanged) {
  published_.govern(std::make_shared<const OwnToolsPolicy>());
  published_.publish(catalog_with(1, tools(tool("ada_1"))));
  EXPECT_EQ(ada_->heard, std::vector{ListKinds{.tools = true}});
  EXPECT_TRUE(bob_->heard.empty());
  EXPECT_EQ(anybody_->heard, std::vector{ListKinds{.tools = true}});
}

TEST_F(GovernedCatalogTest, TellsThoseWhoseRightsChanged) {
  published_.publish(catalog_with(1, tools(tool("ada_1"))));
  ada_->heard.clear();
  bob_->heard.clear();
  anybody_->heard.clear();
  published_.govern(std::make_shared<const OwnToolsPolicy>());
  EXPECT_TRUE(ada_->heard.empty());
  EXPECT_EQ(bob_->heard, std::vector{ListKinds{.tools = true}});
  EXPECT_TRUE(anybody_->heard.empty());
  published_.govern(nullptr);
  EXPECT_EQ(bob_->heard.size(), 2U);
}

TEST_F(GovernedCatalogTest, KeepsAViewThatSomebodyHasTaken) {
  published_.govern(std::make_shared<const OwnToolsPolicy>());
  published_.publish(catalog_with(1, tools(tool("ada_1"))));
  const auto taken = published_.current(test::principal("ada"));
  EXPECT_EQ(published_.current(test::principal("ada")), taken);
  published_.govern(nullptr);
  published_.publish(catalog_with(2, tools(tool("bob_1"))));
  EXPECT_NE(taken->find_tool("ada_1"), nullptr);
  EXPECT_FALSE(taken->may_read("docs://a"));
}

TEST_F(GovernedCatalogTest, SaysOfAPluginThatNobodySeesNothing) {
  published_.govern(std::make_shared<const OwnToolsPolicy>());
  published_.publish(std::make_shared<const Catalog>(
      1,
      std::vector{served_plugin("a.so", R"({"instructions":"Of Ada.",)" + tools(tool("ada_1")).substr(1)),
                  served_plugin("b.so", R"({"instructions":"Of Bob.",)" + tools(tool("bob_1")).substr(1))},
      "Of the operator."));
  EXPECT_EQ(published_.current(test::principal("ada"))->instructions(), "Of the operator.\n\nOf Ada.");
  EXPECT_EQ(published_.current()->instructions(), "Of the operator.\n\nOf Ada.\n\nOf Bob.");
}

// Finds no memory when it is told for the first time.
class ListenerWithoutMemory final : public ListListener {
 public:
  void lists_changed(ListKinds) override {
    if (!std::exchange(has_memory_, true)) throw std::bad_alloc();
  }

 private:
  bool has_memory_ = false;
};

TEST_F(PublishedCatalogTest, IsAsBeforeWhereThereIsNoMemoryToTellOfAChange) {
  const auto first = std::make_shared<ListenerWithoutMemory>();
  published_.listen(first);
  const auto listener = listen();
  const auto next = catalog_with(1, tools(tool("a")));
  EXPECT_THROW(published_.publish(next), std::bad_alloc);
  EXPECT_EQ(published_.current()->find_tool("a"), nullptr);
  EXPECT_EQ(published_.publish(next), ListKinds{.tools = true});
  EXPECT_EQ(listener->heard, std::vector{ListKinds{.tools = true}});
}

}  // namespace
}  // namespace mcph
