#include "protocol/server/server_info.hpp"

#include <gtest/gtest.h>

#include "support/served_plugin.hpp"

namespace mcph {
namespace {

TEST(ServerInfo, TellsOfAHostWithoutPlugins) {
  EXPECT_EQ(
      server_info_json({"host", "Host", "1.0"}, Catalog(), "/components", {}, {}, std::chrono::seconds(3)),
      R"({"name":"host","version":"1.0","protocolVersions":{"legacy":["2024-11-05","2025-03-26","2025-06-18","2025-11-25"],"modern":["2026-07-28"]},"plugins":[],"limits":{},"features":{},"uptimeSeconds":3})");
}

TEST(ServerInfo, TellsOfPluginsTheirComponentsAndLimits) {
  const Catalog catalog(1, {test::served_plugin("sums.so", R"({
      "tools":[{"name":"sub","inputSchema":{"type":"object"}},{"name":"add","inputSchema":{"type":"object"}}],
      "resources":[{"uri":"a://b","name":"b"}],
      "resourceTemplates":[{"uriTemplate":"a://{c}","name":"c"}],
      "prompts":[{"name":"p"}]})")});
  const auto info = server_info_json({"host", "Host", "1.0"}, catalog, "/components", {{"sessions", 7}},
                                     {{"tasks", true}}, std::chrono::seconds(0));
  const auto plugins = info.find(R"("plugins":)");
  ASSERT_NE(plugins, std::string::npos);
  EXPECT_EQ(
      info.substr(plugins),
      R"("plugins":[{"file":"tools/sums.so","name":"sums","version":"1.0.0","digest":"","calls":{"total":0,"errors":0,"inFlight":0},"components":{"tools":["sub","add"],"resources":["a://b"],"resourceTemplates":["a://{c}"],"prompts":["p"]}}],"limits":{"sessions":7},"features":{"tasks":true},"uptimeSeconds":0})");
}

TEST(ServerInfo, IsKeptForAMomentUnlessTheCatalogIsAnotherOne) {
  using namespace std::chrono_literals;
  KeptServerInfo kept;
  int made = 0;
  const auto make = [&made] { return std::to_string(++made); };
  const KeptServerInfo::Time begin{1h};
  EXPECT_EQ(kept.text(1, begin, make), "1");
  EXPECT_EQ(kept.text(1, begin + 99ms, make), "1");
  EXPECT_EQ(kept.text(2, begin + 99ms, make), "2");
  EXPECT_EQ(kept.text(2, begin + 198ms, make), "2");
  EXPECT_EQ(kept.text(2, begin + 199ms, make), "3");
}

}  // namespace
}  // namespace mcph
