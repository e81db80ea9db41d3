// The direction of the tree: the host knows the C headers of the plugin API and nothing else of it; the plugin API and
// the plugins know nothing of the host. That its folders know each other in one direction is the build's doing.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace {

namespace fs = std::filesystem;

struct Include {
  fs::path file;
  std::string header;
  bool is_quoted;
};

bool is_source(const fs::path& path) {
  const std::string extension = path.extension();
  return extension == ".hpp" || extension == ".cpp" || extension == ".h" || extension == ".c";
}

/// What a file says, without its raw strings: the host writes plugin projects, whose text is in them.
std::string code_of(const fs::path& path) {
  std::ifstream file(path);
  std::string code{std::istreambuf_iterator<char>(file), {}};
  for (std::size_t begin = code.find("R\"("); begin != std::string::npos; begin = code.find("R\"(", begin)) {
    const std::size_t end = code.find(")\"", begin);
    code.erase(begin, end == std::string::npos ? end : end + 2 - begin);
  }
  return code;
}

std::vector<Include> includes_under(const fs::path& folder) {
  static const std::regex directive(R"(^\s*#\s*include\s*([<"])([^>"]+)[>"])");
  std::vector<Include> includes;
  if (!fs::exists(folder)) return includes;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file() || !is_source(entry.path())) continue;
    std::istringstream code(code_of(entry.path()));
    std::smatch match;
    for (std::string line; std::getline(code, line);) {
      if (std::regex_search(line, match, directive)) includes.push_back({entry.path(), match[2], match[1] == "\""});
    }
  }
  return includes;
}

const fs::path root = PROJECT_ROOT;

/// Whether the directive means a file of the host.
bool is_of_host(const Include& include) {
  const fs::path host = root / "host";
  if (include.is_quoted) {
    const fs::path beside = fs::weakly_canonical(include.file.parent_path() / include.header);
    if (fs::exists(beside)) return beside.string().starts_with(host.string() + '/');
  }
  return include.header.starts_with("host/") || fs::is_regular_file(host / include.header);
}

TEST(IncludeRule, TheHostIncludesTheCContractOnly) {
  static const std::regex c_header("mcp/[a-z_]+\\.h");
  auto host = includes_under(root / "host");
  for (const char* folder : {"worker", "rules"}) {
    const auto more = includes_under(root / folder);
    host.insert(host.end(), more.begin(), more.end());
  }
  EXPECT_GT(host.size(), 10U) << "the folder was not found";
  for (const auto& include : host) {
    const bool is_plugin_api =
        include.header.starts_with("mcp/") || include.header.find("plugin-api/") != std::string::npos;
    EXPECT_TRUE(!is_plugin_api || std::regex_match(include.header, c_header))
        << include.file << " includes " << include.header;
  }
}

TEST(IncludeRule, ThePluginApiAndThePluginsKnowNothingOfTheHost) {
  const auto api = includes_under(root / "plugin-api");
  EXPECT_GT(api.size(), 100U) << "the folder was not found";
  for (const auto& include : api)
    EXPECT_FALSE(is_of_host(include)) << include.file << " includes " << include.header;
  for (const auto& include : includes_under(root / "plugins")) {
    EXPECT_FALSE(is_of_host(include)) << include.file << " includes " << include.header;
  }
}

TEST(IncludeRule, TheCContractIncludesStandardHeadersOnly) {
  std::string headers;
  for (const auto& include : includes_under(root / "plugin-api/include/mcp")) {
    if (include.file.extension() == ".h" && !include.header.starts_with("mcp/")) headers += include.header + ' ';
  }
  EXPECT_EQ(headers, "stddef.h stdint.h ");
}

}  // namespace
