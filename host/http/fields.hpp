// The header fields of a request as an HTTP server reads them. Free functions; any thread.
#pragma once

#include <memory_resource>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <boost/beast/http/fields.hpp>

namespace mcph {

// A request's fields live in memory of its connection, which is used again for the next request.
using RequestFields = boost::beast::http::basic_fields<std::pmr::polymorphic_allocator<char>>;

// What the fields say by which HTTP itself is served, found in one pass. Views into the fields.
struct HttpFields {
  std::optional<std::string_view> host;
  std::optional<std::string_view> origin;
  std::optional<std::string_view> content_type;
  std::optional<std::string_view> authorization;
  std::optional<std::string> accept;
  std::optional<std::string> connection;
  // A field that must not occur twice and does, because this server and whoever stands before it could read different
  // lines; empty if there is none.
  std::string_view repeated;
};
HttpFields read_fields(const RequestFields& fields);

// A field that has one value, and where that belongs.
struct SingleField {
  std::string_view name;
  std::optional<std::string_view>* value;
};
// Finds them all in one pass. The one that occurs twice; empty if there is none.
std::string_view read_single_fields(const RequestFields& fields, std::span<const SingleField> wanted);

// The value of each line of the field, whatever the case of its name. Views into the fields.
std::vector<std::string_view> lines_of(const RequestFields& fields, std::string_view name);

// All lines of a list-valued field as the one list that they are (RFC 9110 section 5.3).
std::optional<std::string> list_field(const RequestFields& fields, std::string_view name);

// The client sends the body only when it has been told to go on (RFC 9110 section 10.1.1).
bool awaits_continue(const RequestFields& fields);

}  // namespace mcph
