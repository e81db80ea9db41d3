#include "calculator/expression_error.hpp"

#include <algorithm>
#include <string>

namespace plugins::calculator {
namespace {

// How much of a long expression is shown before and after the place, in characters.
constexpr std::size_t shown_before = 40;
constexpr std::size_t shown_after = 30;

bool begins_character(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0) != 0x80;
}

std::size_t count_characters(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), begins_character));
}

std::size_t step_back(std::string_view text, std::size_t offset, std::size_t characters) {
  while (offset > 0 && characters > 0) {
    --offset;
    if (begins_character(text[offset])) --characters;
  }
  return offset;
}

std::size_t step_forward(std::string_view text, std::size_t offset, std::size_t characters) {
  while (offset < text.size() && characters > 0) {
    ++offset;
    if (offset == text.size() || begins_character(text[offset])) --characters;
  }
  return offset;
}

// The expression around the place on one line, and a caret on the next.
std::string excerpt(std::string_view expression, std::size_t offset) {
  const std::size_t begin = step_back(expression, offset, shown_before);
  const std::size_t end = step_forward(expression, offset, shown_after);
  std::string line(begin > 0 ? "..." : "");
  const std::size_t indent = line.size() + count_characters(expression.substr(begin, offset - begin));
  for (const char c : expression.substr(begin, end - begin)) {
    const bool is_control = static_cast<unsigned char>(c) < ' ' || c == '\x7F';
    line += is_control ? ' ' : c;
  }
  if (end < expression.size()) line += "...";
  return line + '\n' + std::string(indent, ' ') + '^';
}

std::size_t position_of(std::string_view expression, std::size_t offset) {
  return count_characters(expression.substr(0, offset)) + 1;
}

std::string message(std::string_view reason, std::string_view expression, std::size_t offset) {
  return std::string(reason) + " at position " + std::to_string(position_of(expression, offset)) + '\n' +
         excerpt(expression, offset);
}

}  // namespace

ExpressionError::ExpressionError(std::string_view reason, std::string_view expression, std::size_t offset)
    : mcp::ToolError(message(reason, expression, offset)), position_(position_of(expression, offset)) {}

}  // namespace plugins::calculator
