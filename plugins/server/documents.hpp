// The documentation of mcp-plugin-host as it was when this plugin was built: for authors whose model writes a plugin.
#pragma once

#include <span>
#include <string_view>

namespace plugins::server {

struct Document {
  std::string_view path;  // in the source tree: "docs/writing-plugins.md"
  std::string_view text;
};

// In the order of their paths.
std::span<const Document> documents();

}  // namespace plugins::server
