#include "sources/publisher.hpp"

#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/recording_log.hpp"
#include "support/served_plugin.hpp"

namespace mcph {
namespace {

using ::testing::ElementsAre;

class PublisherTest : public ::testing::Test {
 protected:
  // Exports the tool "add".
  static ServedPlugin plugin(const std::string& file) {
    return {std::make_shared<test::FakePlugin>(file),
            test::components_of(R"({"tools":[{"name":"add","inputSchema":{"type":"object"}}]})")};
  }
  std::vector<std::string> served() const {
    std::vector<std::string> files;
    for (const auto& each : catalog_.current()->plugins())
      files.push_back(each.plugin->identity().file.string());
    return files;
  }
  std::string owner() const {
    const auto catalog = catalog_.current();
    const auto* const plugin = catalog->find_owner("tool", "add");
    return plugin == nullptr ? "nobody" : plugin->identity().file.string();
  }

  PublishedCatalog catalog_;
  test::RecordingLog log_{Log::Level::info};
  Publisher publisher_{catalog_, "Of the operator.", log_};
  const Publisher::Source first_ = publisher_.add_source();
  const Publisher::Source second_ = publisher_.add_source();
};

TEST_F(PublisherTest, JoinsWhatItsSourcesServe) {
  publisher_.publish(second_, {plugin("b")}, [] {});
  publisher_.publish(first_, {plugin("a"), plugin("c")}, [] {});
  EXPECT_THAT(served(), ElementsAre("a", "c", "b"));
  EXPECT_EQ(owner(), "a") << "the first source wins";
  EXPECT_EQ(catalog_.current()->instructions(), "Of the operator.");
  publisher_.publish(first_, {}, [] {});
  EXPECT_THAT(served(), ElementsAre("b"));
  EXPECT_EQ(catalog_.current()->generation(), 3U);
}

TEST_F(PublisherTest, PutsServersElsewhereBehindWhatIsHere) {
  auto elsewhere = std::make_shared<test::FakePlugin>("a.mcp.json");
  elsewhere->become_upstream();
  const auto upstream = ServedPlugin{elsewhere, plugin("a").components};
  publisher_.publish(first_, {upstream, plugin("c")}, [] {});
  publisher_.publish(second_, {plugin("b")}, [] {});
  EXPECT_THAT(served(), ElementsAre("c", "b", "a.mcp.json"));
  publisher_.publish(first_, {upstream}, [] {});
  EXPECT_EQ(owner(), "b");
}

TEST_F(PublisherTest, SaysWhatChangedOnceItIsServed) {
  bool served_then = false;
  publisher_.publish(first_, {plugin("a")}, [&] { served_then = owner() == "a"; });
  EXPECT_TRUE(served_then);
}

TEST_F(PublisherTest, TellsOnceOfWhatIsHidden) {
  publisher_.publish(first_, {plugin("a")}, [] {});
  publisher_.publish(second_, {plugin("b")}, [] {});
  publisher_.publish(second_, {plugin("b")}, [] {});
  EXPECT_EQ(log_.count("component hidden"), 1U);
  publisher_.publish(first_, {}, [] {});
  EXPECT_EQ(log_.count("component no longer hidden"), 1U);
}

TEST_F(PublisherTest, AdvisesWhatFitsAnUpstreamWhereOneIsHidden) {
  auto elsewhere = std::make_shared<test::FakePlugin>("a.mcp.json");
  elsewhere->become_upstream();
  const auto upstream = ServedPlugin{elsewhere, plugin("a").components};
  publisher_.publish(first_, {plugin("b"), plugin("c"), upstream}, [] {});
  const auto remarks = publisher_.remarks();
  EXPECT_THAT(remarks->at("c"),
              ElementsAre("the tool \"add\" is hidden by that of b; to have both, rename it in one of the two"));
  EXPECT_THAT(remarks->at("a.mcp.json"),
              ElementsAre("the tool \"add\" is hidden by that of b; to have both, give the upstream a \"prefix\", or "
                          "the tool another name with \"rename\""));
}

TEST_F(PublisherTest, HasNoLeaseOnWhatItReleased) {
  auto served = plugin("a");
  const std::weak_ptr<Plugin> weak = served.plugin;
  publisher_.publish(first_, {std::move(served)}, [] {});
  catalog_.clear();
  EXPECT_FALSE(weak.expired());
  publisher_.release(first_);
  EXPECT_TRUE(weak.expired());
}

}  // namespace
}  // namespace mcph
