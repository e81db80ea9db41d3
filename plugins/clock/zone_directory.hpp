// ZoneDirectory: the time zone database as a folder of files, which is how operating systems have it. An immutable
// value that reads the folder anew for each question; any number of threads may use one.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "clock/time_zone.hpp"

namespace plugins::clock {

class ZoneDirectory {
 public:
  explicit ZoneDirectory(std::string folder) : folder_(std::move(folder)) {}

  // "UTC" is there even without a database. Upper and lower case are the same. Throws mcp::ToolError that names similar
  // zones, or std::runtime_error that says how to install the database.
  TimeZone load(std::string_view name) const;

  // Every zone, ordered. Empty without a database.
  std::vector<std::string> names() const;

 private:
  // Nothing if there is no such file, or it is none of a zone.
  std::optional<TimeZone> load_exactly(const std::string& name) const;

  std::string folder_;
};

}  // namespace plugins::clock
