#include "http/response.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <ostream>  // which status.hpp forgets

#include <boost/beast/http/status.hpp>

namespace mcph {
namespace {

constexpr unsigned no_content = 204;

void append_field(std::string& text, std::string_view name, std::string_view value) {
  text.append(name).append(": ").append(value).append("\r\n");
}

// "Sun, 06 Nov 1994 08:49:37 GMT", made anew once a second by each thread.
std::string_view date(std::time_t second) {
  struct Date {
    std::time_t second = -1;
    char text[96] = {};  // more than it takes, for compilers that count on years of eleven digits
  };
  thread_local Date now;
  if (second == now.second) return now.text;
  now.second = second;
  std::tm utc{};
  gmtime_r(&second, &utc);
  static constexpr std::array days{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  static constexpr std::array months{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                     "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  std::snprintf(now.text, sizeof now.text, "%s, %02d %s %04d %02d:%02d:%02d GMT",
                days[static_cast<std::size_t>(utc.tm_wday)], utc.tm_mday, months[static_cast<std::size_t>(utc.tm_mon)],
                utc.tm_year + 1900, utc.tm_hour, utc.tm_min, utc.tm_sec);
  return now.text;
}

bool has_field(const ResponseFields& fields, std::string_view name) {
  return std::ranges::find(fields, name, &ResponseFields::value_type::first) != fields.end();
}

// Those of the answer, and what is added to them.
void append_fields(std::string& text, const HttpClient& client, const ResponseFields& fields) {
  for (const auto& [name, value] : fields)
    append_field(text, name, value);
  for (const auto& [name, value] : client.fields) {
    if (!has_field(fields, name)) append_field(text, name, value);
  }
}

void append_start(std::string& text, const HttpClient& client, unsigned status, bool keep_alive) {
  const auto reason = boost::beast::http::obsolete_reason(static_cast<boost::beast::http::status>(status));
  text.append(client.version >= 11 ? "HTTP/1.1 " : "HTTP/1.0 ").append(std::to_string(status)).append(" ");
  text.append(reason.data(), reason.size()).append("\r\n");
  append_field(text, "Date", date(client.now));
  if (!keep_alive) append_field(text, "Connection", "close");
  if (keep_alive && client.version < 11) append_field(text, "Connection", "keep-alive");
  text.append(client.more_fields);
  if (client.origin) {
    append_field(text, "Access-Control-Allow-Origin", *client.origin);
    append_field(text, "Access-Control-Expose-Headers", client.exposed_headers);
  }
  if (client.varies_by_origin) append_field(text, "Vary", "Origin");
}

}  // namespace

HttpRefusal unavailable(std::string message) {
  return {503, std::move(message), {{"Retry-After", "1"}}};
}

void append_head(std::string& text, const HttpClient& client, const HttpResponse& response) {
  append_start(text, client, response.status, client.keep_alive);
  append_fields(text, client, response.fields);
  if (!response.body.empty()) append_field(text, "Content-Type", response.content_type);
  if (response.status != no_content) append_field(text, "Content-Length", std::to_string(response.body.size()));
  text.append("\r\n");
}

std::string event_stream_head(const HttpClient& client) {
  const bool chunked = client.version >= 11;
  std::string text;
  append_start(text, client, 200, client.keep_alive && chunked);
  append_fields(text, client, {});
  append_field(text, "Content-Type", "text/event-stream");
  append_field(text, "Cache-Control", "no-cache, no-transform");
  append_field(text, "X-Accel-Buffering", "no");
  if (chunked) append_field(text, "Transfer-Encoding", "chunked");
  text.append("\r\n");
  return text;
}

void append_piece(std::string& text, const HttpClient& client, std::string_view events) {
  if (client.version < 11) {
    text.append(events);
    return;
  }
  char digits[16];
  const char* const end = std::to_chars(digits, digits + sizeof digits, events.size(), 16).ptr;
  text.append(std::string_view(digits, end)).append("\r\n").append(events).append("\r\n");
}

}  // namespace mcph
