// Patterns of names, in which * stands for any characters, or none. A free function; any thread.
#pragma once

#include <string_view>

namespace mcph {

inline constexpr char wildcard = '*';

// In time proportional to the product of both lengths at most.
inline bool matches_wildcard(std::string_view pattern, std::string_view text) {
  std::size_t at = 0;
  std::size_t in_text = 0;
  auto star = std::string_view::npos;
  std::size_t resumed = 0;
  while (in_text < text.size()) {
    if (at < pattern.size() && pattern[at] == wildcard) {
      star = at++;
      resumed = in_text;
    } else if (at < pattern.size() && pattern[at] == text[in_text]) {
      ++at;
      ++in_text;
    } else if (star != std::string_view::npos) {
      at = star + 1;
      in_text = ++resumed;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of(wildcard, at) == std::string_view::npos;
}

}  // namespace mcph
