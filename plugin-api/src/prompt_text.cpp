#include "prompt_text.hpp"

#include <algorithm>

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

}  // namespace

PromptText::PromptText(std::string_view text) {
  while (!text.empty()) {
    if (text.starts_with("{{") || text.starts_with("}}")) {
      add_text(text.substr(0, 1));
      text.remove_prefix(2);
    } else if (const std::string_view name = placeholder_at(text); !name.empty()) {
      add_placeholder(name);
      text.remove_prefix(name.size() + 2);
    } else {
      const std::size_t end = text.find_first_of("{}", 1);
      add_text(text.substr(0, end));
      text.remove_prefix(std::min(end, text.size()));
    }
  }
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
