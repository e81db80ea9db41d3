#include "cli/terminal_text.hpp"

#include <algorithm>

namespace mcph {

std::string printable(std::string text) {
  constexpr unsigned char first_printable = 0x20;
  constexpr unsigned char del = 0x7F;
  std::replace_if(
      text.begin(), text.end(),
      [](char c) { return static_cast<unsigned char>(c) < first_printable || static_cast<unsigned char>(c) == del; },
      ' ');
  return text;
}

}  // namespace mcph
