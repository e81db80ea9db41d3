#include "transport/streamable_http/revision_field.hpp"

#include <string>
#include <utility>
#include <vector>

#include "protocol/legacy/legacy_era.hpp"
#include "protocol/modern/modern_era.hpp"

namespace mcph {
namespace {

std::string line_of(std::string_view revision) {
  return "MCP-Protocol-Version: " + std::string(revision) + "\r\n";
}

}  // namespace

std::string_view revision_field(std::string_view revision) {
  static const auto newest = line_of(ModernEra::revision);
  static const auto lines = [] {
    std::vector<std::pair<std::string_view, std::string>> all;
    all.reserve(LegacyEra::revisions.size());
    for (const auto each : LegacyEra::revisions)
      all.emplace_back(each, line_of(each));
    return all;
  }();
  for (const auto& [legacy, line] : lines) {
    if (legacy == revision) return line;
  }
  return newest;
}

}  // namespace mcph
