#include "plugin/isolated/last_lines.hpp"

#include <algorithm>
#include <utility>

#include "base/ascii.hpp"
#include "base/utf8.hpp"

namespace mcph {
namespace {

// From U+2500 to U+25BF: what frames and large letters are drawn with. In UTF-8 these have three bytes each.
constexpr std::size_t drawn_bytes = 3;
bool is_drawn(std::string_view character) {
  return character.size() == drawn_bytes && character[0] == '\xE2' && character[1] >= '\x94' && character[1] <= '\x96';
}

bool is_beside_words(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '|';
}

std::string_view without_frame(std::string_view line) {
  for (;;) {
    if (line.empty()) return line;
    if (is_beside_words(line.front())) {
      line.remove_prefix(1);
    } else if (is_beside_words(line.back())) {
      line.remove_suffix(1);
    } else if (is_drawn(line.substr(0, drawn_bytes))) {
      line.remove_prefix(drawn_bytes);
    } else if (is_drawn(line.substr(line.size() - std::min(line.size(), drawn_bytes)))) {
      line.remove_suffix(drawn_bytes);
    } else {
      return line;
    }
  }
}

// A letter or a digit, of whatever script.
bool is_part_of_word(char c) {
  return is_alphanumeric(c) || static_cast<unsigned char>(c) >= 0x80;
}

}  // namespace

void LastLines::add(std::string_view line) {
  line = without_frame(line);
  if (std::ranges::none_of(line, is_part_of_word)) return;
  lines_.emplace_back(utf8_prefix(line, max_line_bytes));
  bytes_ += lines_.back().size();
  while (lines_.size() > max_lines || bytes_ > max_bytes) {
    bytes_ -= lines_.front().size();
    lines_.pop_front();
  }
}

std::string LastLines::take() {
  std::string text;
  for (const auto& line : std::exchange(lines_, {}))
    text += (text.empty() ? "" : " | ") + line;
  bytes_ = 0;
  return text;
}

}  // namespace mcph
