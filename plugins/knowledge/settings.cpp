#include "knowledge/settings.hpp"

#include <stdexcept>

#include <mcp/plugin/typed.hpp>

namespace plugins::knowledge {
namespace {

constexpr int min_interval = 50;

struct Configuration {
  std::optional<std::string> folder;
  std::int64_t max_file_bytes = 0;
  std::int64_t max_files = 0;
  int pdf_seconds = 0;
  int rescan_milliseconds = 0;
  static constexpr auto fields() {
    return std::tuple{mcp::field("folder", &Configuration::folder),
                      mcp::field("maxFileBytes", &Configuration::max_file_bytes).default_value(20'971'520),
                      mcp::field("maxFiles", &Configuration::max_files).default_value(200'000),
                      mcp::field("pdfSeconds", &Configuration::pdf_seconds).default_value(20),
                      mcp::field("rescanMilliseconds", &Configuration::rescan_milliseconds).default_value(1000)};
  }
};

}  // namespace

std::optional<Settings> settings_of(const mcp::Plugin& plugin) {
  const auto configuration = plugin.config_as<Configuration>();
  if (!configuration.folder) return std::nullopt;
  if (!configuration.folder->starts_with('/')) {
    throw std::invalid_argument("folder must be an absolute path, not \"" + *configuration.folder + "\"");
  }
  if (configuration.max_file_bytes < 1) throw std::invalid_argument("maxFileBytes must be at least 1");
  if (configuration.max_files < 1) throw std::invalid_argument("maxFiles must be at least 1");
  if (configuration.pdf_seconds < 1) throw std::invalid_argument("pdfSeconds must be at least 1");
  if (configuration.rescan_milliseconds < min_interval) {
    throw std::invalid_argument("rescanMilliseconds must be at least " + std::to_string(min_interval));
  }
  return Settings{*configuration.folder, static_cast<std::uint64_t>(configuration.max_file_bytes),
                  static_cast<std::size_t>(configuration.max_files), std::chrono::seconds(configuration.pdf_seconds),
                  std::chrono::milliseconds(configuration.rescan_milliseconds)};
}

}  // namespace plugins::knowledge
