#include "base/uri.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include "base/ascii.hpp"
#include "base/ip_address.hpp"

namespace mcph {
namespace {

std::optional<unsigned> hex_digit(char c) {
  if (is_digit(c)) return static_cast<unsigned>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a' + 10);
  if (c >= 'A' && c <= 'F') return static_cast<unsigned>(c - 'A' + 10);
  return std::nullopt;
}

// RFC 3986 section 2.3.
bool is_unreserved(char c) {
  return is_letter(c) || is_digit(c) || c == '-' || c == '.' || c == '_' || c == '~';
}

// What a URI may have besides "%" (RFC 3986 section 2): a table, because every URI that comes or goes is looked
// through.
constexpr auto uri_characters = [] {
  std::array<bool, 256> table{};
  for (const char c : std::string_view("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
                                       ":/?#[]@!$&'()*+,;="))
    table[static_cast<unsigned char>(c)] = true;
  return table;
}();

bool is_uri_character(char c) {
  return uri_characters[static_cast<unsigned char>(c)];
}

void append_encoded(std::string& text, char c) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  const auto byte = static_cast<unsigned char>(c);
  text += {'%', digits[byte >> 4], digits[byte & 0xF]};
}

// The byte that "%XX" at this place stands for, if it is one.
std::optional<char> encoded_at(std::string_view text, std::size_t at) {
  if (text[at] != '%' || text.size() - at < 3) return std::nullopt;
  const auto high = hex_digit(text[at + 1]);
  const auto low = hex_digit(text[at + 2]);
  if (!high || !low) return std::nullopt;
  return static_cast<char>(*high * 16 + *low);
}

struct WebScheme {
  std::string_view name;
  std::string_view port;  // that it has anyway
};
constexpr std::array web_schemes{WebScheme{"http", ":80"}, WebScheme{"https", ":443"}, WebScheme{"ws", ":80"},
                                 WebScheme{"wss", ":443"}};

// Null: it has another scheme, or none.
const WebScheme* web_scheme_of(std::string_view url) {
  const auto name = lower_case(std::string(url.substr(0, url.find(':'))));
  const auto* const scheme = std::ranges::find(web_schemes, name, &WebScheme::name);
  return scheme == web_schemes.end() ? nullptr : scheme;
}

// Of a URL that has one: where its authority begins and ends, and the port that its scheme has anyway.
struct WebOrigin {
  std::size_t authority;
  std::size_t end;
  std::string_view port;
};

std::optional<WebOrigin> web_origin_in(std::string_view url) {
  constexpr std::string_view before_authority = "://";
  const auto* const scheme = web_scheme_of(url);
  if (scheme == nullptr || !url.substr(scheme->name.size()).starts_with(before_authority)) return std::nullopt;
  const auto authority = scheme->name.size() + before_authority.size();
  return WebOrigin{authority, std::min(url.find_first_of("/?#", authority), url.size()), scheme->port};
}

// Whether it is a name without the dot that may be at its end, or an address as everybody writes it: "0x7f.1" and
// "2130706433" are addresses, too.
bool is_canonical_host(std::string_view host) {
  if (host.empty() || host.ends_with('.')) return false;
  const auto label = host.substr(host.rfind('.') + 1);
  const bool is_number = label.starts_with("0x") || std::all_of(label.begin(), label.end(), is_digit);
  if (!is_number && !host.starts_with('[')) return true;
  const bool in_brackets = host.starts_with('[') && host.ends_with(']');
  if (in_brackets) host = host.substr(1, host.size() - 2);
  const auto address = IpAddress::read(host);
  const bool is_v6 = host.find(':') != std::string_view::npos;
  return address && address->text() == host && in_brackets == is_v6;
}

// Whether a host and a port are written as nobody changes them before they are used. What is percent-encoded in a host
// is no ASCII, of which some letters become such of ASCII (UTS 46).
bool is_canonical_authority(std::string_view authority) {
  if (authority.find_first_of("@%") != std::string_view::npos) return false;
  const auto colon = authority.find(':', authority.starts_with('[') ? authority.find(']') : 0);
  if (colon == std::string_view::npos) return is_canonical_host(authority);
  const auto port = authority.substr(colon + 1);
  return !port.empty() && port.front() != '0' && is_canonical_host(authority.substr(0, colon));
}

}  // namespace

std::optional<std::string> percent_decode(std::string_view encoded) {
  std::string decoded;
  decoded.reserve(encoded.size());
  for (std::size_t at = 0; at < encoded.size(); ++at) {
    if (encoded[at] != '%') {
      decoded += encoded[at];
      continue;
    }
    const auto byte = encoded_at(encoded, at);
    if (!byte) return std::nullopt;
    decoded += *byte;
    at += 2;
  }
  return decoded;
}

std::optional<std::string> encoded_uri(std::string_view text) {
  const auto may_stay = [text](std::size_t at) { return is_uri_character(text[at]) || encoded_at(text, at); };
  std::size_t first = 0;
  while (first < text.size() && may_stay(first))
    ++first;
  if (first == text.size()) return std::nullopt;

  std::string encoded(text.substr(0, first));
  for (auto at = first; at < text.size(); ++at)
    may_stay(at) ? encoded.push_back(text[at]) : append_encoded(encoded, text[at]);
  return encoded;
}

std::string normalized_uri(std::string_view uri) {
  std::string normalized;
  normalized.reserve(uri.size());
  for (std::size_t at = 0; at < uri.size(); ++at) {
    if (const auto encoded = encoded_at(uri, at)) {
      is_unreserved(*encoded) ? normalized.push_back(*encoded) : append_encoded(normalized, *encoded);
      at += 2;
    } else if (is_uri_character(uri[at]) || uri[at] == '%') {
      normalized += uri[at];
    } else {
      append_encoded(normalized, uri[at]);
    }
  }
  return normalized;
}

std::string_view normalized_uri(std::string_view uri, std::string& storage) {
  if (std::all_of(uri.begin(), uri.end(), is_uri_character)) return uri;
  return storage = normalized_uri(uri);
}

std::string with_canonical_origin(const std::string& url) {
  const auto web = web_origin_in(url);
  if (!web) return url;
  auto origin = lower_case(url.substr(0, web->end));
  const bool is_pattern = origin.find('*') != std::string::npos;
  if (!is_pattern && origin.ends_with(web->port)) origin.resize(origin.size() - web->port.size());
  return origin + url.substr(web->end);
}

bool has_canonical_origin(std::string_view uri) {
  if (web_scheme_of(uri) == nullptr) return true;
  const auto web = web_origin_in(uri);
  // Browsers take "https:/a" and "https:a" for "https://a".
  if (!web) return false;
  const auto authority = uri.substr(web->authority, web->end - web->authority);
  return is_canonical_authority(authority) && with_canonical_origin(std::string(uri)) == uri;
}

bool is_absolute_uri(std::string_view text) {
  const auto colon = text.find(':');
  if (colon == std::string_view::npos || colon + 1 == text.size()) return false;
  const auto scheme = text.substr(0, colon);
  const auto in_scheme = [](char c) { return is_letter(c) || is_digit(c) || c == '+' || c == '-' || c == '.'; };
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7F'; };
  return !scheme.empty() && is_letter(scheme.front()) && std::all_of(scheme.begin(), scheme.end(), in_scheme) &&
         std::none_of(text.begin(), text.end(), is_control);
}

}  // namespace mcph
