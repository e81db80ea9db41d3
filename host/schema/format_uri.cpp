#include "schema/format_uri.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <string_view>

#include "base/ascii.hpp"

namespace mcph::schema {
namespace {

enum class Alphabet { ascii, unicode };

// Characters of a component: unreserved ones, percent-encodings, and `others`.
bool consists_of(std::string_view text, std::string_view others, Alphabet alphabet) {
  constexpr std::string_view unreserved_marks = "-._~";
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (static_cast<unsigned char>(c) >= 0x80) {
      if (alphabet == Alphabet::ascii) return false;
    } else if (c == '%') {
      if (at + 2 >= text.size() || !is_hexadecimal(text[at + 1]) || !is_hexadecimal(text[at + 2])) return false;
      at += 2;
    } else if (!is_letter(c) && !is_digit(c) && unreserved_marks.find(c) == std::string_view::npos &&
               others.find(c) == std::string_view::npos) {
      return false;
    }
  }
  return true;
}

constexpr std::string_view in_host = "!$&'()*+,;=";
constexpr std::string_view in_user = "!$&'()*+,;=:";
constexpr std::string_view in_path = "!$&'()*+,;=:@/";
constexpr std::string_view in_query = "!$&'()*+,;=:@/?";

bool is_bracketed_address(std::string_view text) {
  if (text.starts_with('v') || text.starts_with('V')) {
    const auto dot = text.find('.');
    if (dot == std::string_view::npos || dot < 2 || dot + 1 == text.size()) return false;
    const auto version = text.substr(1, dot - 1);
    return std::all_of(version.begin(), version.end(), is_hexadecimal) && text.find('%') == std::string_view::npos &&
           consists_of(text.substr(dot + 1), in_user, Alphabet::ascii);
  }
  std::array<unsigned char, 16> address{};
  return text.find('\0') == std::string_view::npos &&
         inet_pton(AF_INET6, std::string(text).c_str(), address.data()) == 1;
}

bool is_authority(std::string_view text, Alphabet alphabet) {
  if (const auto at = text.find('@'); at != std::string_view::npos) {
    if (!consists_of(text.substr(0, at), in_user, alphabet)) return false;
    text.remove_prefix(at + 1);
  }
  std::string_view port;
  if (text.starts_with('[')) {
    const auto end = text.find(']');
    if (end == std::string_view::npos || !is_bracketed_address(text.substr(1, end - 1))) return false;
    port = text.substr(end + 1);
  } else {
    const auto colon = std::min(text.find(':'), text.size());
    if (!consists_of(text.substr(0, colon), in_host, alphabet)) return false;
    port = text.substr(colon);
  }
  if (port.empty()) return true;
  return port.front() == ':' && std::all_of(port.begin() + 1, port.end(), is_digit);
}

bool is_scheme(std::string_view text) {
  if (text.empty() || !is_letter(text.front())) return false;
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return is_letter(c) || is_digit(c) || c == '+' || c == '-' || c == '.'; });
}

bool is_identifier(std::string_view text, Alphabet alphabet, bool is_absolute) {
  if (const auto mark = text.find('#'); mark != std::string_view::npos) {
    if (!consists_of(text.substr(mark + 1), in_query, alphabet)) return false;
    text = text.substr(0, mark);
  }
  if (const auto mark = text.find('?'); mark != std::string_view::npos) {
    if (!consists_of(text.substr(mark + 1), in_query, alphabet)) return false;
    text = text.substr(0, mark);
  }
  const auto colon = text.find_first_of(":/");
  const bool has_scheme = colon != std::string_view::npos && text[colon] == ':';
  // The first segment of a relative path has no colon (RFC 3986 section 4.2).
  if (has_scheme ? !is_scheme(text.substr(0, colon)) : is_absolute) return false;
  if (has_scheme) text.remove_prefix(colon + 1);
  if (text.starts_with("//")) {
    text.remove_prefix(2);
    const auto end = std::min(text.find('/'), text.size());
    if (!is_authority(text.substr(0, end), alphabet)) return false;
    text.remove_prefix(end);
  }
  return consists_of(text, in_path, alphabet);
}

// RFC 6570 section 2.3, with the modifiers of section 2.4.
bool is_variable(std::string_view text) {
  if (text.ends_with('*')) {
    text.remove_suffix(1);
  } else if (const auto colon = text.find(':'); colon != std::string_view::npos) {
    const auto length = text.substr(colon + 1);
    if (length.empty() || length.size() > 4 || length.front() == '0') return false;
    if (!std::all_of(length.begin(), length.end(), is_digit)) return false;
    text = text.substr(0, colon);
  }
  if (text.empty() || text.front() == '.' || text.back() == '.' || text.find("..") != std::string_view::npos)
    return false;
  const bool has_others = text.find_first_of("-~") != std::string_view::npos;
  return !has_others && consists_of(text, "", Alphabet::ascii);
}

bool is_expression(std::string_view text) {
  constexpr std::string_view operators = "+#./;?&=,!@|";
  if (!text.empty() && operators.find(text.front()) != std::string_view::npos) text.remove_prefix(1);
  while (true) {
    const auto comma = text.find(',');
    if (!is_variable(text.substr(0, comma))) return false;
    if (comma == std::string_view::npos) return true;
    text.remove_prefix(comma + 1);
  }
}

}  // namespace

bool is_uri(const std::string& text) {
  return is_identifier(text, Alphabet::ascii, true);
}

bool is_uri_reference(const std::string& text) {
  return is_identifier(text, Alphabet::ascii, false);
}

bool is_iri(const std::string& text) {
  return is_identifier(text, Alphabet::unicode, true);
}

bool is_iri_reference(const std::string& text) {
  return is_identifier(text, Alphabet::unicode, false);
}

bool is_uri_template(const std::string& text) {
  // Literals are what a reference may have, besides what delimits it.
  for (std::string_view rest = text; !rest.empty();) {
    const auto open = std::min(rest.find('{'), rest.size());
    if (!consists_of(rest.substr(0, open), "!#$&'()*+,/:;=?@[]", Alphabet::unicode)) return false;
    rest.remove_prefix(open);
    if (rest.empty()) return true;
    const auto close = rest.find('}');
    if (close == std::string_view::npos || !is_expression(rest.substr(1, close - 1))) return false;
    rest.remove_prefix(close + 1);
  }
  return true;
}

}  // namespace mcph::schema
