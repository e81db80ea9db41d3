#include "transport/http_response.hpp"

#include <charconv>

#include <boost/beast/http/status.hpp>

namespace mcph {
namespace {

constexpr unsigned no_content = 204;
constexpr auto exposed_headers = "Mcp-Session-Id, MCP-Protocol-Version, X-Session-Expires-At";

void append_field(std::string& text, std::string_view name, std::string_view value) {
  text.append(name).append(": ").append(value).append("\r\n");
}

void append_start(std::string& text, const HttpClient& client, unsigned status, bool keep_alive) {
  const auto reason = boost::beast::http::obsolete_reason(static_cast<boost::beast::http::status>(status));
  text.append(client.version >= 11 ? "HTTP/1.1 " : "HTTP/1.0 ").append(std::to_string(status)).append(" ");
  text.append(reason.data(), reason.size()).append("\r\n");
  if (!keep_alive) append_field(text, "Connection", "close");
  if (keep_alive && client.version < 11) append_field(text, "Connection", "keep-alive");
  if (!client.origin) return;
  append_field(text, "Access-Control-Allow-Origin", *client.origin);
  append_field(text, "Access-Control-Expose-Headers", exposed_headers);
  append_field(text, "Vary", "Origin");
}

}  // namespace

std::string to_text(const HttpClient& client, const HttpResponse& response) {
  constexpr std::size_t usual_head = 256;
  std::string text;
  text.reserve(usual_head + response.body.size());
  append_start(text, client, response.status, client.keep_alive);
  for (const auto& [name, value] : response.fields)
    append_field(text, name, value);
  if (!response.body.empty()) append_field(text, "Content-Type", response.content_type);
  if (response.status != no_content) append_field(text, "Content-Length", std::to_string(response.body.size()));
  text.append("\r\n");
  if (!client.head_only) text.append(response.body);
  return text;
}

std::string event_stream_head(const HttpClient& client) {
  const bool chunked = client.version >= 11;
  std::string text;
  append_start(text, client, 200, client.keep_alive && chunked);
  append_field(text, "Content-Type", "text/event-stream");
  append_field(text, "Cache-Control", "no-cache, no-transform");
  append_field(text, "X-Accel-Buffering", "no");
  if (chunked) append_field(text, "Transfer-Encoding", "chunked");
  return text.append("\r\n");
}

std::string event_stream_piece(const HttpClient& client, std::string_view text) {
  if (client.version < 11) return std::string(text);
  char digits[16];
  const auto end = std::to_chars(digits, digits + sizeof digits, text.size(), 16).ptr;
  std::string piece(digits, end);
  return piece.append("\r\n").append(text).append("\r\n");
}

}  // namespace mcph
