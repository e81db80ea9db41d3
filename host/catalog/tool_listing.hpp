// How many tools a list says where there are more than a client can take: clients find the others by searching. A
// value; any thread.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "base/component_pattern.hpp"

namespace mcph {

// Of the tool that searches, which a list that is cut has in any case. Where a client may not use it, nothing is cut.
inline constexpr std::string_view find_tools_name = "find_tools";

struct ToolListing {
  std::size_t at_most = 0;               // 0: all of them
  std::vector<ComponentPattern> pinned;  // those that are listed first, in this order; then others by their names
};

}  // namespace mcph
