// The configuration of the plugin, files.json. Read and checked in setup; immutable after.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <mcp/plugin/typed.hpp>

#include "files/roots.hpp"

namespace plugins::files {

struct RootSettings {
  std::string name;
  std::string path;
  bool writable = false;
  static constexpr auto fields() {
    return std::tuple{mcp::field("name", &RootSettings::name), mcp::field("path", &RootSettings::path),
                      mcp::field("writable", &RootSettings::writable).default_value(false)};
  }
};

struct Settings {
  std::optional<std::vector<RootSettings>> roots;
  std::int64_t max_file_bytes = 10485760;
  bool watch = true;
  static constexpr auto fields() {
    return std::tuple{mcp::field("roots", &Settings::roots),
                      mcp::field("maxFileBytes", &Settings::max_file_bytes).default_value(10485760),
                      mcp::field("watch", &Settings::watch).default_value(true)};
  }
};

// Throws std::invalid_argument that says what is wrong with them.
Roots roots_of(const Settings& settings);
std::uint64_t max_file_bytes_of(const Settings& settings);

}  // namespace plugins::files
