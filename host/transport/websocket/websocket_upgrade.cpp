#include "transport/websocket/websocket_upgrade.hpp"

#include <string>

#include <boost/beast/http/rfc7230.hpp>

namespace mcph {
namespace {

namespace http = boost::beast::http;

// Whatever the case of it (RFC 9110 sections 7.6.1, 7.8).
bool names(std::optional<std::string_view> list, std::string_view token) {
  return list && http::token_list({list->data(), list->size()}).exists({token.data(), token.size()});
}

// Which has one case only (RFC 6455 section 4.2.2).
bool offers_mcp(const RequestFields& fields) {
  const auto list = list_field(fields, "Sec-WebSocket-Protocol");
  if (!list) return false;
  for (const auto& offered : http::token_list(*list)) {
    if (std::string_view(offered.data(), offered.size()) == mcp_subprotocol) return true;
  }
  return false;
}

// Sixteen bytes in base64.
bool is_key(std::string_view text) {
  constexpr std::size_t length = 24;
  constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  return text.size() == length && text.ends_with("==") && text.find_first_not_of(digits) == length - 2;
}

}  // namespace

bool asks_for_websocket(const HttpRequest& request, unsigned version) {
  return version >= 11 && names(request.fields.connection, "upgrade") &&
         names(list_field(request.all_fields, "Upgrade"), "websocket");
}

HttpChecked check_websocket_upgrade(const HttpRequest& request) {
  const auto versions = lines_of(request.all_fields, "Sec-WebSocket-Version");
  if (versions.size() != 1 || versions.front() != "13") {
    return HttpRefusal{426,
                       "The only version of WebSocket that this server speaks is 13",
                       {{"Sec-WebSocket-Version", "13"}, {"Upgrade", "websocket"}, {"Connection", "Upgrade"}}};
  }
  const auto keys = lines_of(request.all_fields, "Sec-WebSocket-Key");
  if (keys.size() != 1 || !is_key(keys.front())) {
    return HttpRefusal{400, "The header Sec-WebSocket-Key must be there once, and be 16 bytes in base64"};
  }
  if (!offers_mcp(request.all_fields)) {
    return HttpRefusal{400, "The header Sec-WebSocket-Protocol must offer the subprotocol mcp"};
  }
  return {};
}

}  // namespace mcph
