#include "dashboard/plugin_details.hpp"

#include <gtest/gtest.h>

#include "base/json.hpp"

namespace mcph {
namespace {

TEST(PluginDetailsTest, ShowsAConfigurationWithoutSecrets) {
  const auto configuration = OrderedJson::parse(R"({
    "root": "/srv", "limit": 3, "apiKey": "k", "client_secret": {"file": "x"}, "Access-Token": "t",
    "env": {"HOME": "/root"}, "headers": {"X-Any": "v"}, "list": [{"password": "p"}],
    "url": "https://ada:lovelace@example.com/a@b", "plain": "https://example.com/a@b"
  })");
  EXPECT_EQ(without_secrets(configuration), OrderedJson::parse(R"({
    "root": "/srv", "limit": 3, "apiKey": "•••", "client_secret": {"file": "•••"}, "Access-Token": "•••",
    "env": {"HOME": "•••"}, "headers": {"X-Any": "•••"}, "list": [{"password": "•••"}],
    "url": "https://•••@example.com/a@b", "plain": "https://example.com/a@b"
  })"));
}

TEST(PluginDetailsTest, KnowsNothingOfAFileThatIsNone) {
  struct Silent final : Log {
    void write(Level /*level*/, std::string_view /*event*/, Fields /*fields*/) override {}
  } log;
  EXPECT_EQ(plugin_details({}, "/etc/passwd", PluginHistory(log), RecentCalls(1), true), std::nullopt);
}

}  // namespace
}  // namespace mcph
