// Plugins that were built with the headers of an earlier version of the contract: see kept/README.md.
#include <fstream>
#include <iterator>
#include <regex>
#include <string>
#include <vector>

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
  for (const std::string header : {"mcp/plugin.h", "mcp/server_info.h", "mcp/caller.h", "mcp/bundle.h",
                                   "mcp/subscriptions.h", "mcp/store.h", "mcp/metrics.h", "mcp/capabilities.h"}) {
    EXPECT_EQ(code_of(PROJECT_ROOT "/plugin-api/include/" + header),
              code_of(PROJECT_ROOT "/tests/abi/kept/" + version + "/" + header))
        << "what has been released does not change: kept/README.md says what to do";
  }
}

// The ending of the source is its language.
class KeptPlugin : public testing::TestWithParam<std::string> {};

TEST_P(KeptPlugin, OfVersion10IsCalled) {
  if (std::string(KEPT_MISSING).find(GetParam()) != std::string::npos)
    GTEST_SKIP() << "what compiles sample." << GetParam() << " is not installed, or this is a build with a sanitizer";
  LoadedPlugin library(PLUGIN_DIR "/abi_kept_1_0_" + GetParam() + ".so");
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

INSTANTIATE_TEST_SUITE_P(Kept, KeptPlugin, testing::Values("c", "rs", "go", "zig"),
                         [](const auto& ending) { return ending.param; });

// What it is written with is a part of the plugin that serves it.
TEST(Kept, AFileOfPythonOfVersion10IsServed) {
  if (std::string(KEPT_PYTHON_PLUGIN).empty())
    GTEST_SKIP() << "python3-dev or pybind11-dev is not installed, or this is a build with a sanitizer";
  LoadedPlugin library(KEPT_PYTHON_PLUGIN);
  ASSERT_TRUE(library.plugin());
  Harness harness(*library.plugin(), {{"folder", PROJECT_ROOT "/tests/abi/kept/1.0"}});
  const auto tool = harness.describe()["tools"][0];
  EXPECT_EQ(tool["execution"], (Json{{"timeoutMs", 60000}}));
  EXPECT_EQ(tool["_meta"]["mcp-plugin-host/tags"], Json::array({"kept"}));
  harness.set_request_context({{"protocolVersion", "2026-07-28"}});
  harness.set_caller({.id = "ada"});
  EXPECT_EQ(harness.call_tool("known").structured(), (Json{{"protocol_version", "2026-07-28"}, {"principal", "ada"}}));
  auto waiting = harness.start_tool("wait");
  waiting.cancel(mcp::CancelReason::Deadline);
  EXPECT_EQ(waiting.wait().text(), "The call was cancelled, because it took too long.");
  EXPECT_EQ(harness.read_template("sample://{name}", {{"name", "first"}}).text(), "The first.");
  EXPECT_EQ(harness.complete_template("sample://{name}", "name", "s").values(), std::vector<std::string>{"second"});
  EXPECT_EQ(harness.get_prompt("review", {{"code", "x"}, {"times", "2"}}).text(), "x 2\nYes?");
}

}  // namespace
