#include "http/fields.hpp"

#include <boost/beast/core/string.hpp>

namespace mcph {
namespace {

namespace beast = boost::beast;
using Known = beast::http::field;

beast::string_view view(std::string_view text) {
  return {text.data(), text.size()};
}

bool is_called(const RequestFields::Field& field, std::string_view name) {
  return field.name.size() == name.size() && beast::iequals(view(field.name), view(name));
}

void set_single(HttpFields& fields, std::optional<std::string_view>& single, std::string_view name,
                std::string_view value) {
  if (single) fields.repeated = name;
  single = value;
}

void add_line(std::optional<std::string_view>& list, std::unique_ptr<std::string>& joined, std::string_view line) {
  if (!list) {
    list = line;
    return;
  }
  if (joined == nullptr) joined = std::make_unique<std::string>(*list);
  list = joined->append(", ").append(line);
}

}  // namespace

void RequestFields::add(Known known, std::string_view name, std::string_view value) {
  constexpr std::size_t usual_bytes = 1024;
  constexpr std::size_t usual_fields = 16;
  if (entries_.empty()) {
    text_.reserve(usual_bytes);
    entries_.reserve(usual_fields);
  }
  entries_.push_back({known, static_cast<std::uint32_t>(text_.size()), static_cast<std::uint32_t>(name.size()),
                      static_cast<std::uint32_t>(value.size())});
  text_.append(name).append(value);
}

void RequestFields::add(std::string_view name, std::string_view value) {
  add(beast::http::string_to_field(view(name)), name, value);
}

HttpFields read_fields(const RequestFields& fields) {
  HttpFields read;
  for (const auto& [known, name, value] : fields) {
    switch (known) {
      case Known::host:
        set_single(read, read.host, "Host", value);
        break;
      case Known::origin:
        set_single(read, read.origin, "Origin", value);
        break;
      case Known::content_type:
        set_single(read, read.content_type, "Content-Type", value);
        break;
      case Known::authorization:
        set_single(read, read.authorization, "Authorization", value);
        break;
      case Known::content_encoding:
        if (!value.empty() && !beast::iequals(view(value), "identity")) read.content_encoding = value;
        break;
      case Known::accept:
        add_line(read.accept, read.joined_accept, value);
        break;
      case Known::connection:
        add_line(read.connection, read.joined_connection, value);
        break;
      default:
        break;
    }
  }
  return read;
}

std::string_view read_single_fields(const RequestFields& fields, std::span<const SingleField> wanted) {
  std::string_view repeated;
  for (const auto& field : fields) {
    for (const auto& [name, value] : wanted) {
      if (!is_called(field, name)) continue;
      if (*value) repeated = name;
      *value = field.value;
      break;
    }
  }
  return repeated;
}

std::vector<std::string_view> lines_of(const RequestFields& fields, std::string_view name) {
  std::vector<std::string_view> values;
  for (const auto& field : fields) {
    if (is_called(field, name)) values.push_back(field.value);
  }
  return values;
}

std::optional<std::string> list_field(const RequestFields& fields, std::string_view name) {
  std::optional<std::string> list;
  for (const auto& field : fields) {
    if (!is_called(field, name)) continue;
    if (list) list->append(", ");
    if (!list) list.emplace();
    list->append(field.value);
  }
  return list;
}

bool awaits_continue(const RequestFields& fields) {
  for (const auto& [known, name, value] : fields) {
    if (known == Known::expect) return beast::iequals(view(value), "100-continue");
  }
  return false;
}

}  // namespace mcph
