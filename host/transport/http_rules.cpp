#include "transport/http_rules.hpp"

#include <algorithm>
#include <charconv>

#include "http_token.hpp"

namespace mcph {
namespace {

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

std::string lowered(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(), lower);
  return result;
}

std::string_view trimmed(std::string_view text) {
  constexpr auto blanks = " \t";
  const auto first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

bool equal_ignoring_case(std::string_view a, std::string_view b) {
  return a.size() == b.size() &&
         std::equal(a.begin(), a.end(), b.begin(), [](char x, char y) { return lower(x) == lower(y); });
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
  return text.empty() || (text.front() == ':' && text.find_first_not_of("0123456789", 1) == std::string_view::npos);
}

// The host of "host", "host:port", "[v6]" or "[v6]:port"; empty if it is none of these.
std::string_view without_port(std::string_view authority) {
  const auto end =
      authority.starts_with('[') ? authority.find(']') + 1 : std::min(authority.find(':'), authority.size());
  return end > 0 && is_port_or_nothing(authority.substr(end)) ? authority.substr(0, end) : std::string_view{};
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
    if (parameter.size() < 3 || lower(parameter[0]) != 'q' || parameter[1] != '=') return false;
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

HttpTarget read_target(std::string_view target, std::optional<std::string_view> host_header) {
  const auto with_path = [](std::optional<std::string_view> host, std::string_view text) {
    const auto mark = std::min(text.find('?'), text.size());
    const auto query = text.substr(mark);
    return HttpTarget{host, text.substr(0, mark), query.empty() ? query : query.substr(1)};
  };
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (!equal_ignoring_case(target.substr(0, scheme.size()), scheme)) continue;
    const auto rest = target.substr(scheme.size());
    const auto slash = std::min(rest.find('/'), rest.size());
    return with_path(rest.substr(0, slash), rest.substr(slash));
  }
  return with_path(host_header, target);
}

bool is_loopback_host(std::string_view host) {
  const auto name = without_port(host);
  return equal_ignoring_case(name, "localhost") || name == "[::1]" || is_loopback_v4(name);
}

bool is_host_name(std::string_view text) {
  return !text.empty() && without_port(text) == text && text.find_first_of("/@ ") == std::string_view::npos;
}

bool is_origin(std::string_view text) {
  const auto colon = text.find("://");
  return colon != std::string_view::npos && colon > 0 && is_host_name(without_port(text.substr(colon + 3)));
}

bool host_allowed(const HttpAccess& access, std::optional<std::string_view> host) {
  if (!host || host->empty()) return false;
  if (contains(access.allowed_hosts, lowered(without_port(*host)))) return true;
  if (access.loopback_only) return is_loopback_host(*host);
  return access.allowed_hosts.empty();
}

bool origin_allowed(const HttpAccess& access, std::optional<std::string_view> origin) {
  if (!origin) return true;
  const auto lower_origin = lowered(*origin);
  if (contains(access.allowed_origins, "*") || contains(access.allowed_origins, lower_origin)) return true;
  const auto scheme_end = lower_origin.find("://");
  return access.loopback_only && scheme_end != std::string::npos &&
         is_loopback_host(std::string_view(lower_origin).substr(scheme_end + 3));
}

bool accepts(std::optional<std::string_view> accept, std::string_view media_type) {
  if (!accept) return true;
  int most_specific = 0;
  bool accepted = false;
  any_element(*accept, ',', [&](std::string_view range) {
    const auto specific = specificity(trimmed(range.substr(0, range.find(';'))), media_type);
    if (specific > most_specific) {
      most_specific = specific;
      accepted = !refuses_by_quality(range);
    }
    return false;
  });
  return accepted;
}

bool is_json(std::optional<std::string_view> content_type) {
  return content_type &&
         equal_ignoring_case(trimmed(content_type->substr(0, content_type->find(';'))), "application/json");
}

std::string cors_allowed_headers(std::optional<std::string_view> requested) {
  std::string allowed =
      "Accept, Authorization, Content-Type, Last-Event-ID, MCP-Protocol-Version, Mcp-Method, Mcp-Name, Mcp-Session-Id";
  if (!requested) return allowed;
  constexpr std::string_view mirrored = "mcp-param-";
  any_element(*requested, ',', [&](std::string_view name) {
    if (is_token(name) && equal_ignoring_case(name.substr(0, mirrored.size()), mirrored))
      allowed.append(", ").append(name);
    return false;
  });
  return allowed;
}

}  // namespace mcph
