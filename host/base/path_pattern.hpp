// Paths, and URLs, of which one segment may be anything: "/upstream/*/mcp". A free function; any thread.
#pragma once

#include <string_view>

namespace mcph {

// Whether the path is that of the pattern, whose first segment "*" stands for any that is not empty.
inline bool fits_path(std::string_view pattern, std::string_view path) {
  if (pattern == path) return true;
  const auto at = pattern.find("/*/");
  if (at == std::string_view::npos) return false;
  const auto before = pattern.substr(0, at + 1);
  const auto after = pattern.substr(at + 2);
  if (path.size() <= before.size() + after.size() || !path.starts_with(before) || !path.ends_with(after)) return false;
  const auto segment = path.substr(before.size(), path.size() - before.size() - after.size());
  return segment.find('/') == std::string_view::npos;
}

}  // namespace mcph
