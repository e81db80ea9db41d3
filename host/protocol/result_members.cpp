#include "protocol/result_members.hpp"

#include <optional>

#include "base/json_text.hpp"

namespace mcph {

Result<std::string> list_members(const ComponentList& components, std::string_view field, JsonValue params,
                                 std::size_t page_size) {
  std::optional<std::string> cursor;
  if (const auto found = params.find("cursor")) {
    if (!found.is_string()) return fail("a cursor is a string");
    cursor = found.string();
  }
  const auto page = components.page(cursor, page_size);
  if (page.has_error()) return page.error();
  std::string members;
  members.reserve(page->items.size() + field.size() + page->next_cursor.size() + 32);
  members.append("\"").append(field).append("\":[").append(page->items).append("]");
  if (page->has_more) members.append(R"(,"nextCursor":")").append(page->next_cursor).append("\"");
  return members;
}

std::string tool_error_members(std::string_view message) {
  std::string members = R"("content":[{"type":"text","text":)";
  append_json_string(members, message);
  members += R"(}],"isError":true)";
  return members;
}

}  // namespace mcph
