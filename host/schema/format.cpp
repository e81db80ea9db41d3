#include "schema/format.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <array>

#include "base/ascii.hpp"
#include "schema/format_time.hpp"
#include "schema/format_uri.hpp"
#include "schema/pattern.hpp"

namespace mcph::schema {
namespace {

bool is_address(int family, const std::string& text) {
  std::array<unsigned char, 16> address{};
  return text.find('\0') == std::string::npos && inet_pton(family, text.c_str(), address.data()) == 1;
}

bool is_ipv4(const std::string& text) {
  return is_address(AF_INET, text);
}

bool is_ipv6(const std::string& text) {
  return is_address(AF_INET6, text);
}

// RFC 1123 section 2.1; of an internationalised label only its prefix is looked at.
bool is_label(std::string_view label) {
  if (label.empty() || label.size() > 63 || label.front() == '-' || label.back() == '-') return false;
  if (label.size() > 3 && label.substr(2).starts_with("--") && !label.starts_with("xn--") && !label.starts_with("XN--"))
    return false;
  return std::all_of(label.begin(), label.end(), [](char c) { return is_alphanumeric(c) || c == '-'; });
}

bool is_hostname(const std::string& text) {
  if (text.empty() || text.size() > 253) return false;
  for (std::string_view rest = text;;) {
    const auto end = rest.find('.');
    if (!is_label(rest.substr(0, end))) return false;
    if (end == std::string_view::npos) return true;
    rest.remove_prefix(end + 1);
  }
}

bool is_atom_character(char c, bool is_international) {
  constexpr std::string_view marks = "!#$%&'*+-/=?^_`{|}~";
  if (static_cast<unsigned char>(c) >= 0x80) return is_international;
  return is_alphanumeric(c) || marks.find(c) != std::string_view::npos;
}

// RFC 5321 section 4.1.2: a Dot-string, or a Quoted-string.
bool is_local_part(std::string_view text, bool is_international) {
  if (text.size() >= 2 && text.front() == '"' && text.back() == '"') {
    const auto quoted = text.substr(1, text.size() - 2);
    for (std::size_t at = 0; at < quoted.size(); ++at) {
      const auto byte = static_cast<unsigned char>(quoted[at]);
      if (byte < 0x20 || byte == 0x7F || (byte >= 0x80 && !is_international) || byte == '"') return false;
      if (byte == '\\' && ++at == quoted.size()) return false;
    }
    return true;
  }
  bool after_dot = true;
  for (const char c : text) {
    if (c == '.' ? after_dot : !is_atom_character(c, is_international)) return false;
    after_dot = c == '.';
  }
  return !after_dot;
}

bool is_mailbox(std::string_view text, bool is_international) {
  const auto at = text.rfind('@');
  if (at == std::string_view::npos || !is_local_part(text.substr(0, at), is_international)) return false;
  auto domain = std::string(text.substr(at + 1));
  if (domain.starts_with('[') && domain.ends_with(']')) {
    domain = domain.substr(1, domain.size() - 2);
    return domain.starts_with("IPv6:") ? is_ipv6(domain.substr(5)) : is_ipv4(domain);
  }
  if (!is_international) return is_hostname(domain);
  return !domain.empty() && domain.find_first_of(" @[]\"") == std::string::npos;
}

bool is_email(const std::string& text) {
  return is_mailbox(text, false);
}

bool is_idn_email(const std::string& text) {
  return is_mailbox(text, true);
}

bool is_uuid(const std::string& text) {
  if (text.size() != 36) return false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const bool is_hyphen_due = at == 8 || at == 13 || at == 18 || at == 23;
    if (is_hyphen_due ? text[at] != '-' : !is_hexadecimal(text[at])) return false;
  }
  return true;
}

// RFC 6901 section 3.
bool is_json_pointer_text(std::string_view text) {
  if (!text.empty() && text.front() != '/') return false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '~' && (at + 1 == text.size() || (text[at + 1] != '0' && text[at + 1] != '1'))) return false;
  }
  return true;
}

bool is_json_pointer(const std::string& text) {
  return is_json_pointer_text(text);
}

bool is_relative_json_pointer(const std::string& text) {
  const auto end = std::min(text.find_first_not_of("0123456789"), text.size());
  if (end == 0 || (end > 1 && text.front() == '0')) return false;
  const auto rest = std::string_view(text).substr(end);
  return rest == "#" || is_json_pointer_text(rest);
}

bool is_regex(const std::string& text) {
  return Pattern::compile(text).has_value();
}

struct NamedFormat {
  std::string_view name;
  FormatCheck check;
};

constexpr std::array formats{
    NamedFormat{"date", is_date},
    NamedFormat{"date-time", is_date_time},
    NamedFormat{"duration", is_duration},
    NamedFormat{"email", is_email},
    NamedFormat{"hostname", is_hostname},
    NamedFormat{"idn-email", is_idn_email},
    NamedFormat{"ipv4", is_ipv4},
    NamedFormat{"ipv6", is_ipv6},
    NamedFormat{"iri", is_iri},
    NamedFormat{"iri-reference", is_iri_reference},
    NamedFormat{"json-pointer", is_json_pointer},
    NamedFormat{"regex", is_regex},
    NamedFormat{"relative-json-pointer", is_relative_json_pointer},
    NamedFormat{"time", is_time},
    NamedFormat{"uri", is_uri},
    NamedFormat{"uri-reference", is_uri_reference},
    NamedFormat{"uri-template", is_uri_template},
    NamedFormat{"uuid", is_uuid},
};

}  // namespace

FormatCheck find_format(std::string_view name) {
  const auto* const found =
      std::find_if(formats.begin(), formats.end(), [name](const auto& format) { return format.name == name; });
  return found == formats.end() ? nullptr : found->check;
}

}  // namespace mcph::schema
