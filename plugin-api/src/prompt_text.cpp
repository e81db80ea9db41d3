#include "prompt_text.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace mcp::detail {
namespace {

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '-';
}

/// The name if the text begins with a placeholder, else empty.
std::string_view placeholder_at(std::string_view text) {
  if (text.empty() || text.front() != '{') return {};
  const auto end = std::find_if_not(text.begin() + 1, text.end(), is_name_character);
  if (end == text.end() || *end != '}') return {};
  return text.substr(1, static_cast<std::size_t>(end - text.begin()) - 1);
}

/// Lines and columns count from one, a column in characters.
std::string place_of(std::size_t offset, std::string_view text) {
  const std::string_view before = text.substr(0, offset);
  const auto line = std::count(before.begin(), before.end(), '\n') + 1;
  const std::string_view row = before.substr(before.rfind('\n') + 1);  // npos + 1 is 0
  const auto column = std::count_if(row.begin(), row.end(), [](char c) { return (c & 0xC0) != 0x80; }) + 1;
  return "line " + std::to_string(line) + ", column " + std::to_string(column);
}

[[noreturn]] void refuse_brace(std::size_t offset, std::string_view text) {
  const bool opens = text[offset] == '{';
  throw std::invalid_argument(std::string(opens ? "the { in " : "the } in ") + place_of(offset, text) +
                              " of its text has no " + (opens ? '}' : '{') +
                              "; write {{ and }} for braces that are no placeholder's");
}

}  // namespace

PromptText::PromptText(std::string_view text) {
  std::vector<std::size_t> open_braces;
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view rest = text.substr(at);
    if (rest.starts_with("{{") || rest.starts_with("}}")) {
      add_text(rest.substr(0, 1));
      at += 2;
    } else if (const std::string_view name = placeholder_at(rest); !name.empty()) {
      add_placeholder(name);
      at += name.size() + 2;
    } else {
      if (rest.front() == '{') open_braces.push_back(at);
      if (rest.front() == '}') {
        if (open_braces.empty()) refuse_brace(at, text);
        open_braces.pop_back();
      }
      const std::string_view piece = rest.substr(0, rest.find_first_of("{}", 1));
      add_text(piece);
      at += piece.size();
    }
  }
  if (!open_braces.empty()) refuse_brace(open_braces.front(), text);
}

std::string PromptText::filled(const Arguments& arguments) const {
  std::string text;
  for (const Piece& piece : pieces_)
    text += piece.is_placeholder ? arguments[piece.text] : piece.text;
  return text;
}

void PromptText::add_text(std::string_view text) {
  pieces_.push_back({std::string(text), false});
}

void PromptText::add_placeholder(std::string_view name) {
  pieces_.push_back({std::string(name), true});
  if (std::find(placeholders_.begin(), placeholders_.end(), name) == placeholders_.end()) {
    placeholders_.emplace_back(name);
  }
}

}  // namespace mcp::detail
