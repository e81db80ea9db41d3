// Plugins that were built with the headers of an earlier version of the contract: see kept/README.md.
#include <fstream>
#include <iterator>
#include <regex>
#include <string>

#include <gtest/gtest.h>
#include <mcp/plugin/testing.hpp>

#include "loaded_plugin.hpp"

namespace {

using mcp::Json;
using mcp::testing::Harness;

// Without comments, and each row of blanks as one.
std::string code_of(const std::string& header) {
  std::ifstream file(header);
  EXPECT_TRUE(file) << header;
  std::string text(std::istreambuf_iterator<char>(file), {});
  for (auto begin = text.find("/*"); begin != std::string::npos; begin = text.find("/*", begin))
    text.erase(begin, text.find("*/", begin) + 2 - begin);
  return std::regex_replace(text, std::regex(R"(\s+)"), " ");
}

TEST(Kept, TheNewestIsTheHeaderOfToday) {
  const auto version =
      std::to_string(MCP_PLUGIN_API_VERSION_MAJOR) + "." + std::to_string(MCP_PLUGIN_API_VERSION_MINOR);
  for (const std::string header : {"mcp/plugin.h", "mcp/server_info.h", "mcp/caller.h", "mcp/bundle.h"}) {
    EXPECT_EQ(code_of(PROJECT_ROOT "/plugin-api/include/" + header),
              code_of(PROJECT_ROOT "/tests/abi/kept/" + version + "/" + header))
        << "what has been released does not change: kept/README.md says what to do";
  }
}

TEST(Kept, APluginOfVersion10IsCalled) {
  LoadedPlugin library(KEPT_1_0_PLUGIN);
  ASSERT_TRUE(library.plugin());
  Harness harness(*library.plugin());
  EXPECT_EQ(harness.describe()["tools"][0]["name"], "known");
  harness.set_request_context({{"protocolVersion", "2026-07-28"}});
  harness.set_caller({.id = "ada"});
  EXPECT_EQ(harness.call_tool("known").structured(), (Json{{"context", {{"protocolVersion", "2026-07-28"}}},
                                                           {"caller", {{"principal", {{"id", "ada"}}}}},
                                                           {"started", true}}));
  auto waiting = harness.start_tool("wait");
  waiting.cancel(mcp::CancelReason::Deadline);
  EXPECT_EQ(waiting.wait().text(), "cancelled 2");
}

}  // namespace
