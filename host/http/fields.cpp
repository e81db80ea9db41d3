#include "http/fields.hpp"

#include <array>

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
  const std::array<SingleField, 4> single{{{"Host", &read.host},
                                           {"Origin", &read.origin},
                                           {"Content-Type", &read.content_type},
                                           {"Authorization", &read.authorization}}};
  read.repeated = read_single_fields(fields, single);
  for (const auto& field : fields) {
    if (is_called(field, "Accept")) append_line(read.accept, view(field.value()));
    if (is_called(field, "Connection")) append_line(read.connection, view(field.value()));
  }
  return read;
}

std::string_view read_single_fields(const RequestFields& fields, std::span<const SingleField> wanted) {
  std::string_view repeated;
  for (const auto& field : fields) {
    for (const auto& [name, value] : wanted) {
      if (!is_called(field, name)) continue;
      if (*value) repeated = name;
      *value = view(field.value());
      break;
    }
  }
  return repeated;
}

std::vector<std::string_view> lines_of(const RequestFields& fields, std::string_view name) {
  std::vector<std::string_view> values;
  const auto [first, last] = fields.equal_range(beast::string_view(name.data(), name.size()));
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
