// Tools whose arguments clients repeat in headers.
#include <optional>
#include <string>
#include <tuple>

#include <mcp/plugin.hpp>

namespace {

struct Place {
  std::string region;
  bool exact = false;
  static constexpr auto fields() {
    return std::tuple{mcp::field("region", &Place::region, "Where").header("Region"),
                      mcp::field("exact", &Place::exact, "Only there").header("Exact").default_value(false)};
  }
};

std::string query(const Place& place, std::optional<int> limit) {
  return place.region + (place.exact ? " exactly" : "") + (limit ? " " + std::to_string(*limit) : "");
}

void setup(mcp::Plugin& plugin) {
  plugin.tool("query", "Says where it looks.", query, mcp::arg("place", "Where to look"),
              mcp::arg("limit", "How much to find").header("Limit"));
}

}  // namespace

MCP_PLUGIN("mirrored", "1.0.0", setup)
