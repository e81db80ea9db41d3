// The configuration of the plugin, data.json. Read and checked in setup; immutable after.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace mcp {
class Plugin;
}

namespace plugins::data {

struct Settings {
  std::string folder;
  std::int64_t max_file_bytes = 0;
  std::int64_t max_tables = 0;
  std::int64_t max_store_bytes = 0;
  std::int64_t max_temporary_bytes = 0;
  std::int64_t max_memory_bytes = 0;
  std::chrono::milliseconds query_time{};
  int max_result_rows = 0;
  std::int64_t max_result_bytes = 0;
};

// Nothing if no folder is named. Throws std::invalid_argument that says what is wrong.
std::optional<Settings> settings_of(const mcp::Plugin& plugin);

}  // namespace plugins::data
