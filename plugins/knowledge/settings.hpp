// The configuration of the plugin, knowledge.json. Read and checked in setup; immutable after.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace mcp {
class Plugin;
}

namespace plugins::knowledge {

struct Settings {
  std::string folder;
  std::uint64_t max_file_bytes = 0;
  std::size_t max_files = 0;
  std::chrono::milliseconds pdf_time{};
  std::chrono::milliseconds rescan_interval{};
};

// Nothing if no folder is named. Throws std::invalid_argument that says what is wrong.
std::optional<Settings> settings_of(const mcp::Plugin& plugin);

}  // namespace plugins::knowledge
