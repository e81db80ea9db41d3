// The header fields of a request as this server reads them. Free functions; any thread.
#pragma once

#include <memory_resource>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/beast/http/fields.hpp>

#include "transport/streamable_http/http_head.hpp"

namespace mcph {

// A request's fields live in memory of its connection, which is used again for the next request.
using RequestFields = boost::beast::http::basic_fields<std::pmr::polymorphic_allocator<char>>;

// What the fields say, found in one pass. Views into the fields.
struct HttpFields {
  std::optional<std::string_view> host;
  std::optional<std::string_view> origin;
  std::optional<std::string_view> content_type;
  std::optional<std::string> accept;
  std::optional<std::string> connection;
  std::optional<std::string_view> last_event_id;
  HttpHead head;
  // A field that must not occur twice and does, because this server and whoever stands before it could read different
  // lines; empty if there is none.
  std::string_view repeated;
};
HttpFields read_fields(const RequestFields& fields);

// All fields, for whoever looks one up by name.
class RequestHeaderFields final : public HeaderFields {
 public:
  explicit RequestHeaderFields(const RequestFields& fields) : fields_(fields) {}
  std::vector<std::string_view> values(std::string_view name) const override;

 private:
  const RequestFields& fields_;
};

// All lines of a list-valued field as the one list that they are (RFC 9110 section 5.3).
std::optional<std::string> list_field(const RequestFields& fields, std::string_view name);

// The client sends the body only when it has been told to go on (RFC 9110 section 10.1.1).
bool awaits_continue(const RequestFields& fields);

}  // namespace mcph
