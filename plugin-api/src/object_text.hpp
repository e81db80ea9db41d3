// JSON text that an author wrote by hand, checked where it was written.
#pragma once

#include <string>
#include <string_view>

namespace mcp::detail {

/// Throws std::invalid_argument, which begins with `what`, unless the text is one JSON object.
void require_object_text(std::string_view json, const std::string& what);

}  // namespace mcp::detail
