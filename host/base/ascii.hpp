// Classes of ASCII characters and their case, whatever the locale. Plain functions without state; any thread.
#pragma once

#include <string>
#include <string_view>

namespace mcph {

constexpr bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
constexpr bool is_alphanumeric(char c) {
  return is_letter(c) || is_digit(c);
}
constexpr bool is_hexadecimal(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}
constexpr char lower_case(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}
inline std::string lower_case(std::string text) {
  for (auto& c : text)
    c = lower_case(c);
  return text;
}
// Without the spaces and tabs around it.
constexpr std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t";
  const auto first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

}  // namespace mcph
