#include "plugin/isolated/last_lines.hpp"

#include <utility>

#include "base/utf8.hpp"

namespace mcph {

void LastLines::add(std::string_view line) {
  constexpr std::string_view blanks = " \t\r";
  const auto begin = line.find_first_not_of(blanks);
  if (begin == std::string_view::npos) return;
  line = line.substr(begin, line.find_last_not_of(blanks) - begin + 1);
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
