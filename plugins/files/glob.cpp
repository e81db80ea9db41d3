#include "files/glob.hpp"

#include <cstddef>

namespace plugins::files {
namespace {

// The bytes of the UTF-8 character at `at`.
std::size_t character_size(std::string_view text, std::size_t at) {
  std::size_t end = at + 1;
  while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80)
    ++end;
  return end - at;
}

}  // namespace

bool glob_matches(std::string_view pattern, std::string_view text) {
  std::size_t in_pattern = 0;
  std::size_t in_text = 0;
  // Where to go on when what follows the last star does not match: the star takes one character more. Earlier stars
  // never need another try, which is what bounds the time.
  std::size_t after_star = std::string_view::npos;
  std::size_t star_end = 0;
  while (in_text < text.size()) {
    const bool has_more = in_pattern < pattern.size();
    if (has_more && pattern[in_pattern] == '*') {
      after_star = ++in_pattern;
      star_end = in_text;
    } else if (has_more && pattern[in_pattern] == '?') {
      ++in_pattern;
      in_text += character_size(text, in_text);
    } else if (has_more && pattern[in_pattern] == text[in_text]) {
      ++in_pattern;
      ++in_text;
    } else if (after_star != std::string_view::npos) {
      in_pattern = after_star;
      in_text = ++star_end;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', in_pattern) == std::string_view::npos;
}

}  // namespace plugins::files
