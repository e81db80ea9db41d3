#include "shared/text_template.hpp"

#include <algorithm>
#include <stdexcept>

namespace plugins {
namespace {

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.';
}

// The name that begins `text` and is followed by a closing brace, or nothing.
std::string_view leading_name(std::string_view text) {
  const auto* const end = std::find_if_not(text.begin(), text.end(), is_name_character);
  return end != text.end() && *end == '}' ? text.substr(0, static_cast<std::size_t>(end - text.begin()))
                                          : std::string_view();
}

}  // namespace

TextTemplate::TextTemplate(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const auto brace = std::min(text.find_first_of("{}", at), text.size());
    add_literal(text.substr(at, brace - at));
    if (brace == text.size()) return;
    const auto rest = text.substr(brace + 1);
    if (rest.starts_with(text[brace])) {
      add_literal(rest.substr(0, 1));
      at = brace + 2;
      continue;
    }
    const auto name = text[brace] == '{' ? leading_name(rest) : std::string_view();
    if (name.empty()) {
      throw std::invalid_argument("has a brace at byte " + std::to_string(brace + 1) +
                                  " that is not around a name: write it twice if it is meant as it is");
    }
    parts_.push_back({std::string(name), true});
    at = brace + name.size() + 2;
  }
}

void TextTemplate::add_literal(std::string_view text) {
  if (text.empty()) return;
  if (parts_.empty() || parts_.back().is_value) parts_.push_back({"", false});
  parts_.back().text += text;
}

std::vector<std::string> TextTemplate::names() const {
  std::vector<std::string> names;
  for (const auto& part : parts_) {
    if (part.is_value) names.push_back(part.text);
  }
  return names;
}

std::optional<std::string> TextTemplate::filled(const Values& values) const {
  std::string filled;
  for (const auto& part : parts_) {
    const auto text = part.is_value ? values(part.text) : part.text;
    if (!text) return std::nullopt;
    filled += *text;
  }
  return filled;
}

}  // namespace plugins
