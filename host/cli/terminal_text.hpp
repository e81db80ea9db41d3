// Text for a terminal. Free functions; any thread.
#pragma once

#include <cstddef>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

namespace mcph {

// Without what a terminal obeys, the control characters of Unicode: plugins word names and errors, and print what they
// like. `text` is UTF-8.
std::string printable(std::string text);

// The columns that a terminal takes for printable UTF-8: two for a wide character, none for a combining one, whatever
// the locale of the process is.
std::size_t display_width(std::string_view text);

// The text, printable, with spaces behind it up to that many columns. A longer one is not cut.
std::string padded(std::string text, std::size_t columns);

// A line for each row, with two columns between the widest text of each and the next. All rows have as many texts, one
// at least, and these are printable.
void print_table(std::ostream& out, const std::vector<std::vector<std::string>>& rows);

}  // namespace mcph
