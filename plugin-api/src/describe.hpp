// The document that a plugin describes itself with, in MCP's own shapes.
#pragma once

#include <string>

#include "registry.hpp"

namespace mcp::detail {

std::string describe(const Components& components);

}  // namespace mcp::detail
