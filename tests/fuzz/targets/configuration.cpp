// A configuration file.
#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "auth/policy.hpp"
#include "config/config.hpp"
#include "config/toml.hpp"
#include "expect.hpp"

using namespace mcph;
using mcph::fuzz::expect;

namespace {

// "3:7: ..." is a place in the text, or right behind it.
void expect_place(std::string_view words, std::string_view text) {
  const auto* const end = words.data() + words.size();
  std::size_t line = 0;
  std::size_t column = 0;
  auto read = std::from_chars(words.data(), end, line);
  expect(read.ec == std::errc() && read.ptr != end && *read.ptr == ':');
  read = std::from_chars(read.ptr + 1, end, column);
  expect(read.ec == std::errc() && read.ptr != end && *read.ptr == ':');
  const auto lines = static_cast<std::size_t>(std::ranges::count(text, '\n')) + 1;
  expect(line >= 1 && line <= lines && column >= 1 && column <= text.size() + 1);
}

class File {
 public:
  File() {
    std::string folder = (std::filesystem::temp_directory_path() / "fuzz_configuration.XXXXXX").string();
    expect(::mkdtemp(folder.data()) != nullptr);
    path = std::filesystem::path(folder) / "host.toml";
  }
  ~File() { std::filesystem::remove_all(path.parent_path()); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  std::filesystem::path path;
};

// What is shown of a configuration is one that says the same.
void check_shown(const Config& config) {
  const auto shown = config_form().show(config);
  const auto again = read_toml(to_toml(shown));
  expect(again.has_value());
  Config copy;
  Mistakes mistakes;
  config_form().read(again->json, {}, copy, mistakes);
  expect(mistakes.empty());
  expect(config_form().show(copy) == shown);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const File file;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto document = read_toml(text);
  if (document.has_error()) {
    expect_place(document.error().message, text);
    return 0;
  }
  std::ofstream(file.path, std::ios::binary | std::ios::trunc) << text;
  const auto config = ConfigSource({}, file.path, {}).load();
  if (config.has_value()) {
    const auto roles = RolePolicy::compile(settled_roles(*config));
    expect(roles.has_value() || !roles.error().message.empty());
    check_shown(*config);
    return 0;
  }
  // Each mistake has a line, and a place, unless the file says nothing there.
  const auto words = config.error().message;
  expect(!words.empty());
  const auto name = file.path.string() + ":";
  for (auto at = words.find(name); at != std::string_view::npos; at = words.find(name, at + 1)) {
    if (at == 0 || words[at - 1] == '\n') expect_place(std::string_view(words).substr(at + name.size()), text);
  }
  return 0;
}
