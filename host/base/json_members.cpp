#include "base/json_members.hpp"

#include <algorithm>

#include "base/json.hpp"
#include "base/json_text.hpp"

namespace mcph {
namespace {

constexpr std::string_view json_space = " \t\r\n";

// The offset behind the string's closing quote, or the end of the text. `quote` is the offset of its opening quote.
std::size_t behind_string(std::string_view text, std::size_t quote) {
  auto at = quote + 1;
  while (at < text.size() && text[at] != '"')
    at += text[at] == '\\' ? 2 : 1;
  return std::min(at + 1, text.size());
}

// The offset of the comma or the bracket behind the value, or the end of the text.
std::size_t behind_value(std::string_view text, std::size_t at) {
  std::size_t depth = 0;
  while (at < text.size()) {
    const char c = text[at];
    if (c == '"') {
      at = behind_string(text, at);
      continue;
    }
    if (depth == 0 && (c == ',' || c == '}' || c == ']')) return at;
    if (c == '{' || c == '[') ++depth;
    if (c == '}' || c == ']') --depth;
    ++at;
  }
  return at;
}

}  // namespace

JsonMembers::JsonMembers(std::string_view object) : text_(object), at_(object.find_first_not_of(json_space)) {
  if (at_ == std::string_view::npos) return;
  at_ = text_[at_] == '{' ? at_ + 1 : std::string_view::npos;
}

bool JsonMembers::next() {
  if (at_ == std::string_view::npos) return false;
  const auto quote = text_.find_first_not_of(json_space, at_);
  at_ = std::string_view::npos;
  if (quote == std::string_view::npos) return false;
  if (text_[quote] == '}' && is_first_) return find_end(quote);
  if (text_[quote] != '"') return false;
  is_first_ = false;
  const auto behind_key = behind_string(text_, quote);
  const auto colon = text_.find_first_not_of(json_space, behind_key);
  if (colon == std::string_view::npos || text_[colon] != ':') return false;
  const auto begin = text_.find_first_not_of(json_space, colon + 1);
  if (begin == std::string_view::npos) return false;
  const auto end = behind_value(text_, begin);
  if (end == begin || end == text_.size() || text_[end] == ']') return false;
  key_ = text_.substr(quote + 1, behind_key - quote - 2);
  value_ = text_.substr(begin, end - begin);
  value_ = value_.substr(0, value_.find_last_not_of(json_space) + 1);
  if (text_[end] == ',') {
    at_ = end + 1;
  } else {
    find_end(end);
  }
  return true;
}

void JsonMembers::append_to(std::string& members) const {
  append_json_member(members, key_, value_);
}

bool JsonMembers::find_end(std::size_t closing) {
  is_whole_ = text_.find_first_not_of(json_space, closing + 1) == std::string_view::npos;
  return false;
}

std::optional<std::vector<std::string_view>> json_elements(std::string_view array, std::size_t most) {
  const auto opening = array.find_first_not_of(json_space);
  if (opening == std::string_view::npos || array[opening] != '[') return std::nullopt;
  std::vector<std::string_view> elements;
  for (auto at = opening + 1;;) {
    const auto begin = array.find_first_not_of(json_space, at);
    if (begin == std::string_view::npos) return std::nullopt;
    const auto end = behind_value(array, begin);
    if (end == array.size() || array[end] == '}') return std::nullopt;
    const bool is_last = array[end] == ']';
    if (end == begin && !(is_last && elements.empty())) return std::nullopt;
    const auto element = array.substr(begin, end - begin);
    if (!element.empty()) elements.push_back(element.substr(0, element.find_last_not_of(json_space) + 1));
    if (elements.size() >= most) return elements;
    at = end + 1;
    if (!is_last) continue;
    if (array.find_first_not_of(json_space, at) != std::string_view::npos) return std::nullopt;
    return elements;
  }
}

void append_json_member(std::string& members, std::string_view key, std::string_view value) {
  members.append(members.empty() ? "\"" : ",\"").append(key).append("\":").append(value);
}

std::optional<std::string_view> json_member(std::string_view object, std::string_view key) {
  JsonMembers members(object);
  while (members.next()) {
    if (members.key() == key) return members.value();
  }
  return std::nullopt;
}

std::optional<std::string> json_string(std::string_view text) {
  if (text.size() < 2 || text.front() != '"') return std::nullopt;
  if (text.find('\\') == std::string_view::npos) return std::string(text.substr(1, text.size() - 2));
  const auto json = parse_json(text);
  return json.has_value() && json->is_string() ? std::optional(json->get<std::string>()) : std::nullopt;
}

}  // namespace mcph
