// The revisions of the protocol that are spoken here.
#pragma once

#include <array>
#include <string_view>

#include "base/json.hpp"

namespace mcph {

inline constexpr std::string_view newest_revision = "2026-07-28";
// Which begin with initialize, the newest first.
inline constexpr std::array<std::string_view, 4> legacy_revisions = {"2025-11-25", "2025-06-18", "2025-03-26",
                                                                     "2024-11-05"};

// All of them, for clients to choose from (basic/versioning, "Protocol Version Negotiation").
inline Json supported_revisions() {
  auto all = Json::array({newest_revision});
  for (const auto revision : legacy_revisions)
    all.push_back(revision);
  return all;
}

}  // namespace mcph
