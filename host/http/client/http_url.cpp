#include "http/client/http_url.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <system_error>

#include "base/ascii.hpp"
#include "http/rules.hpp"

namespace mcph {

Result<HttpUrl> read_http_url(std::string_view text, bool may_be_clear) {
  constexpr std::string_view secure = "https://";
  constexpr std::string_view clear = "http://";
  const auto refuse = [text](const char* why) {
    const auto shown = without_query(text);
    return fail("\"" + std::string(shown) + (shown.size() < text.size() ? "?..." : "") + "\" " + why);
  };
  HttpUrl url{.tls = text.starts_with(secure)};
  if (!url.tls && !text.starts_with(clear))
    return refuse(may_be_clear ? "must begin with https:// or http://"
                               : "must begin with https://, or http:// for this machine");
  const auto rest = text.substr(url.tls ? secure.size() : clear.size());
  const auto end = std::min(rest.find_first_of("/?#"), rest.size());
  url.authority = rest.substr(0, end);
  url.target = rest.substr(end);
  if (url.target.empty() || url.target.front() != '/') url.target.insert(0, "/");
  const bool printable = std::ranges::all_of(url.target, [](char c) { return '!' <= c && c <= '~'; });
  if (!printable || url.target.find('#') != std::string::npos) return refuse("has a character that no URL has");
  if (url.authority.empty() || url.authority.front() == ':' || !is_authority(url.authority))
    return refuse("names no host");
  if (!url.tls && !may_be_clear && !is_loopback_host(url.authority))
    return refuse("must begin with https://, unless it is this machine");
  // The colons of an IPv6 address are in brackets.
  const auto colon = url.authority.rfind(':');
  const auto bracket = url.authority.rfind(']');
  const bool has_port = colon != std::string::npos && (bracket == std::string::npos || bracket < colon);
  url.host = url.authority.substr(0, has_port ? colon : std::string::npos);
  if (has_port) url.port = url.authority.substr(colon + 1);
  if (url.port.empty()) url.port = url.tls ? "443" : "80";
  std::uint16_t number = 0;
  const auto read = std::from_chars(url.port.data(), url.port.data() + url.port.size(), number);
  if (read.ec != std::errc{} || number == 0) return refuse("has a port that there is not");
  if (url.host.front() == '[') url.host = url.host.substr(1, url.host.size() - 2);
  return url;
}

std::string_view without_query(std::string_view url) {
  return url.substr(0, url.find('?'));
}

bool is_same_origin(const HttpUrl& left, const HttpUrl& right) {
  return left.tls == right.tls && left.port == right.port && lower_case(left.host) == lower_case(right.host);
}

}  // namespace mcph
