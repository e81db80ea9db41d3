#include "cli/terminal_text.hpp"

#include <algorithm>
#include <array>
#include <clocale>
#include <cwchar>
#include <utility>

namespace mcph {
namespace {

// While it lives, this thread reads characters as UTF-8: only then wcwidth() knows them.
class Utf8Locale {
 public:
  Utf8Locale() : utf8_(newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr)), before_(uselocale(utf8_)) {}
  Utf8Locale(const Utf8Locale&) = delete;
  Utf8Locale& operator=(const Utf8Locale&) = delete;
  ~Utf8Locale() {
    uselocale(before_);
    if (utf8_ != nullptr) freelocale(utf8_);
  }

 private:
  locale_t utf8_;
  locale_t before_;
};

constexpr char escape = '\x1b';
constexpr std::string_view reset = "\x1b[0m";

// One for what is not known, which a terminal shows as some mark.
std::size_t width_of(wchar_t character) {
  const int width = wcwidth(character);
  return width < 0 ? 1 : static_cast<std::size_t>(width);
}

}  // namespace

std::string printable(std::string text) {
  constexpr unsigned char first_printable = 0x20;
  constexpr unsigned char del = 0x7F;
  constexpr unsigned char last_c1 = 0x9F;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const auto byte = static_cast<unsigned char>(text[at]);
    if (byte < first_printable || byte == del) {
      text[at] = ' ';
    } else if (byte == 0xC2 && at + 1 < text.size() && static_cast<unsigned char>(text[at + 1]) <= last_c1) {
      text.replace(at, 2, " ");  // U+0080 to U+009F: some terminals take U+009B for ESC [
    }
  }
  return text;
}

std::string printable_lines(std::string_view text) {
  std::string all;
  for (std::size_t begin = 0; begin <= text.size();) {
    const auto end = std::min(text.find_first_of("\n\t", begin), text.size());
    all += printable(std::string(text.substr(begin, end - begin)));
    if (end < text.size()) all += text[end];
    begin = end + 1;
  }
  return all;
}

std::size_t display_width(std::string_view text) {
  const Utf8Locale locale;
  std::mbstate_t state{};
  std::size_t width = 0;
  while (!text.empty()) {
    wchar_t character = 0;
    const auto size = std::mbrtowc(&character, text.data(), text.size(), &state);
    const bool is_character = size > 0 && size <= text.size();
    width += is_character ? width_of(character) : 1;
    text.remove_prefix(is_character ? size : 1);
    if (!is_character) state = {};
  }
  return width;
}

std::string padded(std::string text, std::size_t columns) {
  text = printable(std::move(text));
  text.append(columns - std::min(columns, display_width(text)), ' ');
  return text;
}

std::string cut(std::string_view line, std::size_t columns) {
  const Utf8Locale locale;
  std::mbstate_t state{};
  std::string kept;
  bool is_coloured = false;
  for (std::size_t width = 0; !line.empty();) {
    std::size_t size = 1;
    if (line.front() == escape) {
      size = std::min(line.find('m'), line.size() - 1) + 1;
      is_coloured = true;
    } else {
      wchar_t character = 0;
      const auto read = std::mbrtowc(&character, line.data(), line.size(), &state);
      const bool is_character = read > 0 && read <= line.size();
      if (is_character) size = read;
      if (!is_character) state = {};
      width += is_character ? width_of(character) : 1;
      if (width > columns) break;
    }
    kept += line.substr(0, size);
    line.remove_prefix(size);
  }
  return is_coloured ? kept.append(reset) : kept;
}

std::string Paint::operator()(Style style, std::string_view text) const {
  constexpr std::array<std::string_view, 6> sequences{"", "\x1b[1m", "\x1b[32m", "\x1b[33m", "\x1b[31m", "\x1b[2m"};
  const auto sequence = sequences.at(static_cast<std::size_t>(style));
  if (!colours_ || sequence.empty() || text.empty()) return std::string(text);
  return std::string(sequence).append(text).append(reset);
}

void print_table(std::ostream& out, const std::vector<TableRow>& rows, const Paint& paint) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(row.size());
    for (std::size_t column = 0; column < row.size(); ++column)
      widths[column] = std::max(widths[column], display_width(row[column].text));
  }
  for (const auto& row : rows) {
    for (std::size_t column = 0; column + 1 < row.size(); ++column) {
      const auto& [text, style] = row[column];
      out << paint(style, text) << std::string(widths[column] + 2 - display_width(text), ' ');
    }
    out << paint(row.back().style, row.back().text) << "\n";
  }
}

}  // namespace mcph
