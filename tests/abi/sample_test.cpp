// The sample of the design's plugin-abi.md, compiled exactly as it stands there, with the two functions that it calls.
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <mcp/plugin.hpp>
#include <mcp/plugin/testing.hpp>

namespace {

std::vector<std::string> find(const std::string& words, int limit) {
  return {words + ' ' + std::to_string(limit)};
}

std::string load(const std::string& name) {
  return "# " + name;
}

}  // namespace

#include "sample.inc"

namespace {

using mcp::testing::Harness;

TEST(Sample, DoesWhatItSays) {
  Harness harness(setup);
  EXPECT_EQ(harness.call_tool("add", {{"a", 1}, {"b", 2.5}}).structured()["result"], 3.5);
  EXPECT_EQ(harness.call_tool("search", {{"query", "x"}}).structured()["result"][0], "x 10");
  EXPECT_EQ(harness.progress().at(0).message, "reading index");
  EXPECT_EQ(harness.read_template("notes://{name}", {{"name", "today"}}).text(), "# today");
  EXPECT_EQ(harness.get_prompt("review", {{"code", "int x;"}}).text(), "Review this:\nint x;");
  EXPECT_EQ(harness.describe()["tools"][1]["annotations"]["readOnlyHint"], true);
}

std::string content_of(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(Sample, IsTheOneOfTheDesign) {
  const std::string design = content_of(DESIGN_DOCUMENT);
  if (design.empty()) GTEST_SKIP() << DESIGN_DOCUMENT << " is not here";
  const std::size_t begin = design.find("```cpp\n");
  ASSERT_NE(begin, std::string::npos);
  const std::size_t code = begin + 7;
  EXPECT_EQ(design.substr(code, design.find("```", code) - code), content_of(SAMPLE_FILE));
}

}  // namespace
