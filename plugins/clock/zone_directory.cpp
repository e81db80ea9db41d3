#include "clock/zone_directory.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include <mcp/plugin/error.hpp>

#include "clock/zone_names.hpp"
#include "shared/text.hpp"

namespace plugins::clock {
namespace {

namespace fs = std::filesystem;

// The largest file of the database has some 4 KiB.
constexpr std::size_t max_file_bytes = 1048576;

// The database once more, without and with leap seconds, and copies of zones under names that are none of IANA's.
constexpr std::array<std::string_view, 4> not_listed{"posix", "right", "localtime", "posixrules"};

bool begins_as_zone(const fs::path& file) {
  std::array<char, 4> magic{};
  std::ifstream(file, std::ios::binary).read(magic.data(), magic.size());
  return std::string_view(magic.data(), magic.size()) == "TZif";
}

std::string content_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::string content(max_file_bytes, '\0');
  stream.read(content.data(), static_cast<std::streamsize>(content.size()));
  content.resize(static_cast<std::size_t>(stream.gcount()));
  return content;
}

TimeZone built_in_utc() {
  return {"UTC", ZoneData{{}, {Offset{std::chrono::seconds(0), false, "UTC"}}, std::nullopt}};
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names)
    text += (text.empty() ? "" : ", ") + name;
  return text;
}

}  // namespace

TimeZone ZoneDirectory::load(std::string_view name) const {
  if (auto zone = load_exactly(std::string(name))) return *std::move(zone);
  if (lower_case(name) == "utc") return built_in_utc();

  const std::vector<std::string> names = this->names();
  if (names.empty()) {
    throw std::runtime_error("There is no time zone database in " + folder_ +
                             ", so UTC is the only zone: install the package tzdata, or name its folder in clock.json: "
                             R"({"zoneinfo": "/path"})");
  }
  const auto same = [wanted = lower_case(name)](const std::string& each) { return lower_case(each) == wanted; };
  const auto found = std::find_if(names.begin(), names.end(), same);
  if (found != names.end()) {
    if (auto zone = load_exactly(*found)) return *std::move(zone);
  }
  const std::string similar = joined(similar_names(name, names));
  throw mcp::ToolError("Unknown time zone \"" + std::string(name) + "\". " +
                       (similar.empty() ? "Zones have IANA names, such as Europe/Berlin; time_zones lists them."
                                        : "Similar: " + similar));
}

std::vector<std::string> ZoneDirectory::names() const {
  std::vector<std::string> names;
  std::error_code error;
  fs::recursive_directory_iterator entry(folder_, fs::directory_options::skip_permission_denied, error);
  for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    std::string name = entry->path().lexically_relative(folder_).string();
    const bool is_listed = std::find(not_listed.begin(), not_listed.end(), name) == not_listed.end();
    if (entry->is_directory(error)) {
      if (!is_listed) entry.disable_recursion_pending();
    } else if (is_listed && is_zone_name(name) && begins_as_zone(entry->path())) {
      names.push_back(std::move(name));
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::optional<TimeZone> ZoneDirectory::load_exactly(const std::string& name) const {
  // Those that count leap seconds are no zones of clocks.
  if (!is_zone_name(name) || name.starts_with("right/")) return std::nullopt;
  const fs::path file = fs::path(folder_) / name;
  std::error_code error;
  if (!fs::is_regular_file(file, error) || !begins_as_zone(file)) return std::nullopt;
  try {
    return TimeZone(name, parse_zone_data(content_of(file)));
  } catch (const std::runtime_error& reason) {
    throw std::runtime_error("The time zone file " + file.string() + " cannot be used: " + reason.what());
  }
}

}  // namespace plugins::clock
