// MCP Apps: how a page and the tools that it shows are described, what reading it gives, who is said to show it.
#include <map>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>
#include <mcp/plugin.hpp>
#include <mcp/plugin/testing.hpp>

namespace {

using mcp::Json;
using mcp::testing::Harness;

TEST(App, IsAResourceOfItsOwnType) {
  Harness harness([](mcp::Plugin& plugin) {
    plugin.app("ui://chart/view", "view", "Draws it", "<!doctype html><p>\"x\"</p>").title("View");
  });
  EXPECT_EQ(harness.describe().dump(),
            R"({"resources":[{"uri":"ui://chart/view","name":"view","title":"View","description":"Draws it",)"
            R"("mimeType":"text/html;profile=mcp-app"}]})");
  EXPECT_EQ(harness.read("ui://chart/view").json["contents"].dump(),
            R"([{"mimeType":"text/html;profile=mcp-app","text":"<!doctype html><p>\"x\"</p>",)"
            R"("uri":"ui://chart/view"}])");
}

TEST(App, SaysWhatItNeedsWhereItIsListedAndWhereItIsRead) {
  Harness harness([](mcp::Plugin& plugin) {
    plugin.app("ui://map", "map", "", "<p>",
               {.connect_domains = {"https://api.example.org"},
                .resource_domains = {"https://a.example.org", "https://b.example.org"},
                .frame_domains = {"https://frame.example.org"},
                .base_uri_domains = {"https://base.example.org"},
                .camera = true,
                .microphone = true,
                .geolocation = true,
                .clipboard_write = true,
                .domain = "map.example.org",
                .prefers_border = false});
  });
  const auto needs = Json::parse(R"({"ui":{
      "csp":{"connectDomains":["https://api.example.org"],
             "resourceDomains":["https://a.example.org","https://b.example.org"],
             "frameDomains":["https://frame.example.org"],"baseUriDomains":["https://base.example.org"]},
      "permissions":{"camera":{},"microphone":{},"geolocation":{},"clipboardWrite":{}},
      "domain":"map.example.org","prefersBorder":false}})");
  EXPECT_EQ(Json(harness.describe()["resources"][0]["_meta"]), needs);
  EXPECT_EQ(harness.read("ui://map").json["contents"][0]["_meta"], needs);
}

TEST(App, IsNamedByTheToolsThatItShows) {
  const Harness harness([](mcp::Plugin& plugin) {
    plugin.tool("draw", "", [] {}).app("ui://chart/view");
    plugin.tool("redraw", "", [] {}).app("ui://chart/view").app_only().meta({{"k", 1}});
    plugin.tool("fetch", "", [] {}).app_only();
    plugin.tool("other", "", [] {}).meta({{"k", 1}});
  });
  const auto meta = [&](int i) { return harness.describe()["tools"][i]["_meta"].dump(); };
  EXPECT_EQ(meta(0), R"({"ui":{"resourceUri":"ui://chart/view"}})");
  EXPECT_EQ(meta(1), R"({"k":1,"ui":{"resourceUri":"ui://chart/view","visibility":["app"]}})");
  EXPECT_EQ(meta(2), R"({"ui":{"visibility":["app"]}})");
  EXPECT_EQ(meta(3), R"({"k":1})");
}

TEST(App, AUriOfAnotherSchemeIsRefusedInWords) {
  const auto refusal = [](auto setup) -> std::string {
    try {
      const Harness harness(setup);
      return "accepted";
    } catch (const std::runtime_error& error) {
      return error.what();
    }
  };
  EXPECT_EQ(refusal([](mcp::Plugin& plugin) { plugin.app("https://x", "view", "", "<p>"); }),
            "setup failed: app \"view\": the URI of an app begins with ui://, unlike \"https://x\"");
  EXPECT_EQ(refusal([](mcp::Plugin& plugin) { plugin.tool("draw", "", [] {}).app("ui://"); }),
            "setup failed: tool \"draw\": the URI of an app begins with ui://, unlike \"ui://\"");
}

TEST(App, IsShownByAClientThatSaysSo) {
  Harness harness(
      [](mcp::Plugin& plugin) { plugin.tool("t", "", [](mcp::Context& context) { return context.shows_apps(); }); });
  const auto shows = [&](const char* capabilities) {
    harness.set_request_context({{"clientCapabilities", Json::parse(capabilities)}});
    return harness.call_tool("t").structured()["result"].get<bool>();
  };
  EXPECT_TRUE(
      shows(R"({"extensions":{"io.modelcontextprotocol/ui":{"mimeTypes":["x","text/html;profile=mcp-app"]}}})"));
  EXPECT_FALSE(shows(R"({"extensions":{"io.modelcontextprotocol/ui":{"mimeTypes":["text/html"]}}})"));
  EXPECT_FALSE(shows(R"({"extensions":{"io.modelcontextprotocol/ui":{}}})"));
  EXPECT_FALSE(shows(R"({"extensions":{"io.modelcontextprotocol/ui":7}})"));
  EXPECT_FALSE(shows(R"({"extensions":["io.modelcontextprotocol/ui"]})"));
  EXPECT_FALSE(shows("{}"));
  harness.set_request_context(Json::object());
  EXPECT_FALSE(harness.call_tool("t").structured()["result"].get<bool>());
}

struct Drawn {
  int width = 0;
  static constexpr auto fields() { return std::tuple{mcp::field("width", &Drawn::width)}; }
};

TEST(App, TheOutputOfAToolResultIsDescribedByAType) {
  const Harness harness([](mcp::Plugin& plugin) {
    plugin.tool("t", "", [] { return mcp::ToolResult().structured(Drawn{1}); }).output<Drawn>();
    plugin.tool("m", "", [] { return mcp::ToolResult(); }).output<std::map<std::string, int>>();
  });
  const auto schema = [&](int i) { return harness.describe()["tools"][i]["outputSchema"].dump(); };
  EXPECT_EQ(schema(0), R"({"type":"object","properties":{"width":{"type":"integer"}},"required":["width"]})");
  EXPECT_EQ(Json::parse(schema(1))["additionalProperties"]["type"], "integer");
}

}  // namespace
