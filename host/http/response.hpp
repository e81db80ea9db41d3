// What goes out in answer to an HTTP request, as text: written here and not by Beast, because a head that is one piece
// of memory costs one copy in the kernel instead of twenty. Values and free functions.
#pragma once

#include <ctime>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"

namespace mcph {

using ResponseFields = std::vector<std::pair<std::string, std::string>>;

struct HttpResponse {
  unsigned status = 200;
  std::string body = {};
  std::string_view content_type = "application/json";
  ResponseFields fields = {};
};

// Why there is no other response, before whoever serves has worded it.
struct HttpRefusal {
  unsigned status = 400;
  std::string message;
  ResponseFields fields = {};
  std::string body = {};  // in the words of the service already; empty: it is to word the message
};
// Of a check, whose error is what the client is answered.
using HttpChecked = Result<void, HttpRefusal>;
// The same where a later attempt may succeed.
HttpRefusal unavailable(std::string message);

// What an answer depends on besides its content.
struct HttpClient {
  unsigned version = 11;  // of HTTP, 10 or 11
  bool keep_alive = true;
  bool head_only = false;
  std::optional<std::string> origin = {};  // whose pages may read the answer, "*": all
  std::string_view exposed_headers = {};   // that they may read then
  bool varies_by_origin = false;           // another origin, or none, may get another answer
  std::string_view more_fields = {};       // lines of the head, each with its end, that the service adds
  ResponseFields fields = {};              // unless the answer has others of their names
  std::time_t now = 0;
};

// The response without its body (RFC 9112).
void append_head(std::string& text, const HttpClient& client, const HttpResponse& response);

// The head of a response whose body is an event stream: chunked in HTTP/1.1, ended by closing in HTTP/1.0.
std::string event_stream_head(const HttpClient& client);

// Appends a piece of such a body; and its end.
void append_piece(std::string& text, const HttpClient& client, std::string_view events);
inline constexpr std::string_view event_stream_end = "0\r\n\r\n";

}  // namespace mcph
