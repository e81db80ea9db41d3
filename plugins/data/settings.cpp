#include "data/settings.hpp"

#include <stdexcept>

#include <mcp/plugin/typed.hpp>

namespace plugins::data {
namespace {

struct Configuration {
  std::optional<std::string> folder;
  std::int64_t max_file_bytes = 0;
  std::int64_t max_tables = 0;
  std::int64_t max_store_bytes = 0;
  std::int64_t max_temporary_bytes = 0;
  std::int64_t max_memory_bytes = 0;
  int query_seconds = 0;
  int max_result_rows = 0;
  std::int64_t max_result_bytes = 0;
  static constexpr auto fields() {
    return std::tuple{mcp::field("folder", &Configuration::folder),
                      mcp::field("maxFileBytes", &Configuration::max_file_bytes).default_value(4'294'967'296),
                      mcp::field("maxTables", &Configuration::max_tables).default_value(100),
                      mcp::field("maxStoreBytes", &Configuration::max_store_bytes).default_value(17'179'869'184),
                      mcp::field("maxTemporaryBytes", &Configuration::max_temporary_bytes).default_value(1'073'741'824),
                      mcp::field("maxMemoryBytes", &Configuration::max_memory_bytes).default_value(268'435'456),
                      mcp::field("querySeconds", &Configuration::query_seconds).default_value(10),
                      mcp::field("maxResultRows", &Configuration::max_result_rows).default_value(1000),
                      mcp::field("maxResultBytes", &Configuration::max_result_bytes).default_value(1'048'576)};
  }
};

template <class T>
void require_at_least(T least, T value, const char* name) {
  if (value < least) throw std::invalid_argument(std::string(name) + " must be at least " + std::to_string(least));
}

}  // namespace

std::optional<Settings> settings_of(const mcp::Plugin& plugin) {
  const auto given = plugin.config_as<Configuration>();
  if (!given.folder) return std::nullopt;
  if (!given.folder->starts_with('/')) {
    throw std::invalid_argument("folder must be an absolute path, not \"" + *given.folder + "\"");
  }
  require_at_least<std::int64_t>(1, given.max_file_bytes, "maxFileBytes");
  require_at_least<std::int64_t>(1, given.max_tables, "maxTables");
  require_at_least<std::int64_t>(1'048'576, given.max_store_bytes, "maxStoreBytes");
  require_at_least<std::int64_t>(1'048'576, given.max_temporary_bytes, "maxTemporaryBytes");
  require_at_least<std::int64_t>(33'554'432, given.max_memory_bytes, "maxMemoryBytes");
  require_at_least(1, given.query_seconds, "querySeconds");
  require_at_least(1, given.max_result_rows, "maxResultRows");
  require_at_least<std::int64_t>(1024, given.max_result_bytes, "maxResultBytes");
  return Settings{*given.folder,
                  given.max_file_bytes,
                  given.max_tables,
                  given.max_store_bytes,
                  given.max_temporary_bytes,
                  given.max_memory_bytes,
                  std::chrono::seconds(given.query_seconds),
                  given.max_result_rows,
                  given.max_result_bytes};
}

}  // namespace plugins::data
