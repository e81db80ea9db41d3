// Questions as people ask them, each with the tools that answer it: how many have one of these among the first five
// that are found. The questions were written before any of them was asked.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "runtime/executor.hpp"
#include "sources/finder/tool_finder.hpp"
#include "sources/finder/tool_search.hpp"

namespace mcph {
namespace {

constexpr std::size_t first_ones = 5;

// The file that the environment names, or the one beside this project.
std::filesystem::path corpus() {
  const char* const named = std::getenv("MCP_TOOL_CORPUS");
  return named != nullptr ? named : MCP_TOOL_CORPUS;
}

nlohmann::json read(const std::filesystem::path& file) {
  std::ifstream stream(file);
  return nlohmann::json::parse(stream);
}

class CallersThread final : public Executor {
 public:
  void run(std::function<void()> task) override { task(); }
};

// All tools that a host would serve.
std::shared_ptr<const Catalog> catalog_of(const nlohmann::json& tools) {
  static CallersThread executor;
  const auto plugin = make_tool_finder(executor).plugin;
  std::vector<ServedPlugin> served;
  for (auto tool : tools) {
    tool.erase("source");
    auto components = parse_components(nlohmann::json{{"tools", {tool}}}.dump());
    if (components.has_error()) {
      std::cout << "left out: " << components.error().message << '\n';
      continue;
    }
    served.push_back({plugin, std::make_shared<const Components>(*std::move(components))});
  }
  return std::make_shared<const Catalog>(1, std::move(served));
}

TEST(ToolSearchQuality, FindsTheRightToolAmongTheFirstFive) {
  if (!std::filesystem::exists(corpus())) GTEST_SKIP() << "there are no tools at " << corpus();
  const auto catalog = catalog_of(read(corpus()));
  ToolSearch search;
  std::size_t hits = 0;
  std::size_t asked = 0;
  for (const auto& each : read(MCP_TOOL_QUESTIONS)) {
    const auto question = each["question"].get<std::string>();
    const auto right = each["tools"].get<std::vector<std::string>>();
    const bool is_there =
        std::ranges::any_of(right, [&](const std::string& name) { return catalog->find_tool(name) != nullptr; });
    EXPECT_TRUE(is_there) << "no tool of the corpus answers: " << question;
    std::string found;
    bool hit = false;
    for (const auto* const tool : search.search(catalog, question, first_ones)) {
      found += (found.empty() ? "" : ", ") + tool->name;
      hit = hit || std::ranges::find(right, tool->name) != right.end();
    }
    ++asked;
    hits += hit ? 1 : 0;
    if (!hit) std::cout << "missed: " << question << " (" << right.front() << "), found: " << found << '\n';
  }
  std::cout << hits << " of " << asked << " questions, of " << catalog->served_tools().size() << " tools\n";
  EXPECT_GE(hits * 10, asked * 9);
}

}  // namespace
}  // namespace mcph
