// The parts of results that read the same in both eras, as the inside of a JSON object. Free functions; any thread.
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"
#include "catalog/component_list.hpp"
#include "protocol/message.hpp"

namespace mcph {

// `"tools":[...],"nextCursor":"..."` for a list request's params; fails for a cursor that is not one of the list's.
Result<std::string> list_members(const ComponentList& components, std::string_view field, JsonValue params,
                                 std::size_t page_size);

// The members of a CallToolResult that says what went wrong, for the model to read.
std::string tool_error_members(std::string_view message);

}  // namespace mcph
