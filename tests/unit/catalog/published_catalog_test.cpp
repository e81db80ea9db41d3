#include "catalog/published_catalog.hpp"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace mcph
