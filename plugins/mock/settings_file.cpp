#include "mock/settings_file.hpp"

#include <stdexcept>
#include <string_view>
#include <sys/stat.h>

#include "shared/file_content.hpp"
#include "shared/file_error.hpp"
#include "shared/json_depth.hpp"

namespace plugins::mock {
namespace {

constexpr int max_depth = 64;

// Conditions lie in one another, and are read by functions that call themselves.
void require_shallow(std::string_view text) {
  if (is_nested_deeper_than(max_depth, text)) {
    throw std::invalid_argument("is nested deeper than " + std::to_string(max_depth) + " arrays and objects");
  }
}

}  // namespace

SettingsFile::Stamp SettingsFile::stamp() const {
  struct stat status {};
  if (::stat(path_.c_str(), &status) != 0) return std::nullopt;
  return std::tuple(std::uint64_t{status.st_dev}, std::uint64_t{status.st_ino}, std::int64_t{status.st_size},
                    std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec);
}

MockSettings SettingsFile::read() const {
  const auto refuse = [this](const std::string& why) { throw std::invalid_argument("the file " + path_ + ' ' + why); };
  try {
    const auto text = read_file(path_, max_size);
    require_shallow(text);
    return mcp::read_json<MockSettings>(mcp::parse_json(text));
  } catch (const FileError& error) {
    refuse(error.what());
  } catch (const std::invalid_argument& error) {
    refuse(std::string("is not as it should be: ") + error.what());
  }
  return {};
}

}  // namespace plugins::mock
