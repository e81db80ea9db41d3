#include "http/rules.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <charconv>
#include <netinet/in.h>

#include "base/ascii.hpp"
#include "base/http_token.hpp"

namespace mcph {
namespace {

bool equal_ignoring_case(std::string_view a, std::string_view b) {
  return a.size() == b.size() &&
         std::equal(a.begin(), a.end(), b.begin(), [](char x, char y) { return lower_case(x) == lower_case(y); });
}

// Calls `visit` for each trimmed element of a separated list until it returns true.
template <class Visit>
bool any_element(std::string_view list, char separator, Visit visit) {
  while (true) {
    const auto end = list.find(separator);
    if (visit(trimmed(list.substr(0, end)))) return true;
    if (end == std::string_view::npos) return false;
    list.remove_prefix(end + 1);
  }
}

bool is_port_or_nothing(std::string_view text) {
  return text.empty() || (text.front() == ':' && std::all_of(text.begin() + 1, text.end(), is_digit));
}

// Each request has a Host, of whose every character this is asked.
constexpr auto registered_name_characters = [] {
  std::array<bool, 256> allowed{};
  for (const char c : std::string_view("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~!$&'()*+,;="))
    allowed[static_cast<unsigned char>(c)] = true;
  return allowed;
}();

bool is_registered_name(std::string_view text) {
  while (!text.empty()) {
    const bool encoded = text.size() > 2 && text[0] == '%' && is_hexadecimal(text[1]) && is_hexadecimal(text[2]);
    if (!encoded && !registered_name_characters[static_cast<unsigned char>(text.front())]) return false;
    text.remove_prefix(encoded ? 3 : 1);
  }
  return true;
}

bool is_bracketed_v6(std::string_view text) {
  if (text.size() < 2 || text.front() != '[' || text.back() != ']') return false;
  in6_addr address{};
  return ::inet_pton(AF_INET6, std::string(text.substr(1, text.size() - 2)).c_str(), &address) == 1;
}

// The host of "host", "host:port", "[v6]" or "[v6]:port" (RFC 3986 section 3.2), which may be empty; nothing if it is
// none of these.
std::optional<std::string_view> host_of(std::string_view authority) {
  const bool bracketed = authority.starts_with('[');
  const auto end = bracketed ? authority.find(']') + 1 : std::min(authority.find(':'), authority.size());
  const auto host = authority.substr(0, end);
  const bool is_host = bracketed ? is_bracketed_v6(host) : is_registered_name(host);
  return is_host && is_port_or_nothing(authority.substr(end)) ? std::optional(host) : std::nullopt;
}

bool is_scheme(std::string_view text) {
  constexpr std::string_view allowed = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+-.";
  return !text.empty() && is_letter(text.front()) && text.find_first_not_of(allowed) == std::string_view::npos;
}

// The host and the port of "scheme://host[:port]"; nothing if the text is anything else (RFC 6454 section 7).
std::optional<std::string_view> authority_of_origin(std::string_view origin) {
  constexpr std::string_view mark = "://";
  const auto scheme_end = origin.find(mark);
  if (scheme_end == std::string_view::npos || !is_scheme(origin.substr(0, scheme_end))) return std::nullopt;
  const auto authority = origin.substr(scheme_end + mark.size());
  return is_authority(authority) ? std::optional(authority) : std::nullopt;
}

bool is_loopback_v4(std::string_view host) {
  int parts = 0;
  bool first_is_127 = false;
  const bool malformed = any_element(host, '.', [&](std::string_view part) {
    unsigned value = 0;
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), value);
    if (error != std::errc{} || end != part.data() + part.size() || value > 255) return true;
    if (parts == 0) first_is_127 = value == 127;
    ++parts;
    return false;
  });
  return !malformed && parts == 4 && first_is_127;
}

bool contains(const std::vector<std::string>& list, std::string_view value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

bool refuses_by_quality(std::string_view range) {
  return any_element(range, ';', [](std::string_view parameter) {
    if (parameter.size() < 3 || lower_case(parameter[0]) != 'q' || parameter[1] != '=') return false;
    return parameter.find_first_not_of("0.", 2) == std::string_view::npos;
  });
}

// How specific a media range is that covers the type: 3 for the type itself, 2 for "type/*", 1 for "*/*", 0 if it does
// not cover it.
int specificity(std::string_view range, std::string_view media_type) {
  if (equal_ignoring_case(range, media_type)) return 3;
  if (range == "*/*") return 1;
  const auto family = media_type.substr(0, media_type.find('/') + 1);
  return range.ends_with("/*") && equal_ignoring_case(range.substr(0, range.size() - 1), family) ? 2 : 0;
}

}  // namespace

std::optional<HttpTarget> read_target(std::string_view target, std::optional<std::string_view> host_header) {
  const auto with_path = [](std::optional<std::string_view> host, std::string_view text) {
    const auto mark = std::min(text.find('?'), text.size());
    const auto query = text.substr(mark);
    return HttpTarget{host, text.substr(0, mark), query.empty() ? query : query.substr(1)};
  };
  if (target == "*") return HttpTarget{.host = host_header, .path = target, .is_server = true};
  if (target.starts_with('/')) return with_path(host_header, target);
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (!equal_ignoring_case(target.substr(0, scheme.size()), scheme)) continue;
    const auto rest = target.substr(scheme.size());
    const auto end = std::min(rest.find_first_of("/?"), rest.size());
    const auto authority = rest.substr(0, end);
    if (!authority.empty() && is_authority(authority)) return with_path(authority, rest.substr(end));
  }
  return std::nullopt;
}

bool is_authority(std::string_view text) {
  return host_of(text).has_value();
}

bool is_loopback_host(std::string_view host) {
  const auto name = host_of(host);
  return name && (equal_ignoring_case(*name, "localhost") || *name == "[::1]" || is_loopback_v4(*name));
}

bool is_host_name(std::string_view text) {
  return !text.empty() && host_of(text) == text;
}

bool is_origin(std::string_view text) {
  return !host_of_origin(text).empty();
}

std::string_view host_of_origin(std::string_view origin) {
  const auto authority = authority_of_origin(origin);
  return authority ? *host_of(*authority) : std::string_view();
}

bool host_allowed(const HttpAccess& access, std::optional<std::string_view> host) {
  if (!host || host->empty()) return false;
  if (!access.allowed_hosts.empty() || !access.own_host.empty()) {
    const auto name = lower_case(std::string(host_of(*host).value_or("")));
    if (contains(access.allowed_hosts, name) || (!name.empty() && name == access.own_host)) return true;
  }
  if (access.loopback_only) return is_loopback_host(*host);
  return access.allowed_hosts.empty();
}

bool origin_allowed(const HttpAccess& access, std::optional<std::string_view> origin) {
  if (!origin) return true;
  const auto lower_origin = lower_case(std::string(*origin));
  const auto authority = authority_of_origin(lower_origin);
  if (!authority && *origin != "null") return false;
  if (contains(access.allowed_origins, "*") || contains(access.allowed_origins, lower_origin)) return true;
  return authority && access.loopback_only && is_loopback_host(*authority);
}

bool accepts(std::optional<std::string_view> accept, std::string_view media_type) {
  if (!accept) return true;
  int max_specific = 0;
  bool accepted = false;
  any_element(*accept, ',', [&](std::string_view range) {
    const auto specific = specificity(trimmed(range.substr(0, range.find(';'))), media_type);
    if (specific > max_specific) {
      max_specific = specific;
      accepted = !refuses_by_quality(range);
    }
    return false;
  });
  return accepted;
}

bool is_media_type(std::string_view content_type, std::string_view media_type) {
  return equal_ignoring_case(trimmed(content_type.substr(0, content_type.find(';'))), media_type);
}

bool is_json(std::optional<std::string_view> content_type) {
  return content_type && is_media_type(*content_type, "application/json");
}

TransferEncoding read_transfer_encoding(std::string_view list) {
  int codings = 0;
  bool ends_in_chunks = false;
  any_element(list, ',', [&](std::string_view coding) {
    if (coding.empty()) return false;
    ++codings;
    ends_in_chunks = equal_ignoring_case(coding, "chunked");
    return false;
  });
  if (!ends_in_chunks) return TransferEncoding::without_end;
  return codings == 1 ? TransferEncoding::chunked : TransferEncoding::coded;
}

bool keeps_alive(unsigned version, std::optional<std::string_view> connection) {
  const auto has = [&](std::string_view option) {
    return connection &&
           any_element(*connection, ',', [&](std::string_view each) { return equal_ignoring_case(each, option); });
  };
  return !has("close") && (version >= 11 || has("keep-alive"));
}

std::string cors_allowed_headers(const HttpCors& cors, std::optional<std::string_view> requested) {
  std::string allowed(cors.allowed);
  if (!requested || cors.prefix.empty()) return allowed;
  any_element(*requested, ',', [&](std::string_view name) {
    if (is_token(name) && equal_ignoring_case(name.substr(0, cors.prefix.size()), cors.prefix))
      allowed.append(", ").append(name);
    return false;
  });
  return allowed;
}

}  // namespace mcph
