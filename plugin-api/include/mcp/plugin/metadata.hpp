// What MCP lets several kinds of components and contents carry: roles, annotations, icons, cache hints.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace mcp {

enum class Role { User, Assistant };

/// Whom a content or resource is for and how important it is. Every member may be left out.
struct Annotations {
  std::vector<Role> audience = {};
  std::optional<double> priority = std::nullopt;  ///< 0 (least) to 1 (effectively required)
  std::string last_modified = {};                 ///< ISO 8601, "2026-01-12T15:00:58Z"
};

/// The background that an icon is drawn for.
enum class Theme { Any, Light, Dark };

struct Icon {
  std::string source;  ///< an https: or data: URI
  std::string mime_type = {};
  std::vector<std::string> sizes = {};  ///< such as "48x48" or "any"
  Theme theme = Theme::Any;
};

/// Who may be served a cached answer: everybody, or only whoever asked.
enum class CacheScope { Public, Private };

}  // namespace mcp
