// Text for a terminal. Free functions; any thread.
#pragma once

#include <cstddef>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mcph {

// Without what a terminal obeys, the control characters of Unicode: plugins word names and errors, and print what they
// like. `text` is UTF-8.
std::string printable(std::string text);

// The same of a text of several lines, whose line feeds and tabs stay.
std::string printable_lines(std::string_view text);

// The columns that a terminal takes for printable UTF-8: two for a wide character, none for a combining one, whatever
// the locale of the process is.
std::size_t display_width(std::string_view text);

// The text, printable, with spaces behind it up to that many columns. A longer one is not cut.
std::string padded(std::string text, std::size_t columns);

// The line up to that many columns. Sequences that set a colour take no room, and what is cut off leaves none behind.
std::string cut(std::string_view line, std::size_t columns);

// What a text means, by which it is coloured.
enum class Style { plain, heading, good, warning, bad, faint };

// Colours texts, or leaves them as they are. A value.
class Paint {
 public:
  explicit Paint(bool colours) : colours_(colours) {}
  std::string operator()(Style style, std::string_view text) const;

 private:
  bool colours_;
};

struct Cell {
  Cell(std::string printable_text, Style its_style = Style::plain)  // NOLINT(google-explicit-constructor): in tables
      : text(std::move(printable_text)), style(its_style) {}
  Cell(const char* printable_text) : text(printable_text) {}  // NOLINT(google-explicit-constructor): likewise

  std::string text;
  Style style = Style::plain;
};
using TableRow = std::vector<Cell>;

// A line for each row, with two columns between the widest text of each and the next. All rows have as many cells, one
// at least, and their texts are printable.
void print_table(std::ostream& out, const std::vector<TableRow>& rows, const Paint& paint = Paint(false));

}  // namespace mcph
