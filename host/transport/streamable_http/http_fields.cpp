#include "transport/streamable_http/http_fields.hpp"

#include <array>
#include <utility>

namespace mcph {
namespace {

namespace beast = boost::beast;
namespace http = beast::http;

std::string_view view(beast::string_view text) {
  return {text.data(), text.size()};
}

bool is_called(const RequestFields::value_type& field, std::string_view name) {
  return beast::iequals(field.name_string(), beast::string_view(name.data(), name.size()));
}

void append_line(std::optional<std::string>& list, std::string_view line) {
  if (list) list->append(", ");
  if (!list) list.emplace();
  list->append(line);
}

}  // namespace

HttpFields read_fields(const RequestFields& fields) {
  HttpFields read;
  const std::array<std::pair<std::string_view, std::optional<std::string_view>*>, 8> single{{
      {"Host", &read.host},
      {"Origin", &read.origin},
      {"Content-Type", &read.content_type},
      {"MCP-Protocol-Version", &read.head.protocol_version},
      {"Mcp-Method", &read.head.method},
      {"Mcp-Name", &read.head.name},
      {"Mcp-Session-Id", &read.head.session_id},
      {"Last-Event-ID", &read.last_event_id},
  }};
  for (const auto& field : fields) {
    if (is_called(field, "Accept")) append_line(read.accept, view(field.value()));
    if (is_called(field, "Connection")) append_line(read.connection, view(field.value()));
    for (const auto& [name, value] : single) {
      if (!is_called(field, name)) continue;
      if (*value) read.repeated = name;
      *value = view(field.value());
      break;
    }
  }
  return read;
}

std::vector<std::string_view> RequestHeaderFields::values(std::string_view name) const {
  std::vector<std::string_view> values;
  const auto [first, last] = fields_.equal_range(beast::string_view(name.data(), name.size()));
  for (auto line = first; line != last; ++line)
    values.push_back(view(line->value()));
  return values;
}

std::optional<std::string> list_field(const RequestFields& fields, std::string_view name) {
  std::optional<std::string> list;
  const auto [first, last] = fields.equal_range(beast::string_view(name.data(), name.size()));
  for (auto line = first; line != last; ++line)
    append_line(list, view(line->value()));
  return list;
}

bool awaits_continue(const RequestFields& fields) {
  const auto expected = fields.find(http::field::expect);
  return expected != fields.end() && beast::iequals(expected->value(), "100-continue");
}

}  // namespace mcph
