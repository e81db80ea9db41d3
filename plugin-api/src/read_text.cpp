#include <charconv>
#include <cstring>

#include <mcp/plugin/detail/read_text.hpp>

namespace mcp::detail {
namespace {

// Positions of a text that has an end; null: the text is malformed.
const char* skip_space(const char* at, const char* end) {
  while (at != end && (*at == ' ' || *at == '\n' || *at == '\t' || *at == '\r'))
    ++at;
  return at;
}

/// From the opening quote to what follows the closing one.
const char* skip_string(const char* at, const char* end) {
  const char* const begin = at + 1;
  for (at = begin; at != end;) {
    const auto* const quote = static_cast<const char*>(std::memchr(at, '"', static_cast<std::size_t>(end - at)));
    if (quote == nullptr) return nullptr;
    const char* backslashes = quote;
    while (backslashes != begin && backslashes[-1] == '\\')
      --backslashes;
    at = quote + 1;
    if ((quote - backslashes) % 2 == 0) return at;
  }
  return nullptr;
}

const char* skip_nested(const char* at, const char* end) {
  for (std::size_t depth = 0; at != nullptr && at != end;) {
    if (*at == '"') {
      at = skip_string(at, end);
      continue;
    }
    if (*at == '{' || *at == '[') ++depth;
    if ((*at == '}' || *at == ']') && --depth == 0) return at + 1;
    ++at;
  }
  return nullptr;
}

const char* skip_value(const char* at, const char* end) {
  if (at == end) return nullptr;
  if (*at == '"') return skip_string(at, end);
  if (*at == '{' || *at == '[') return skip_nested(at, end);
  const char* const begin = at;
  while (at != end && std::strchr(",]} \n\t\r", *at) == nullptr)
    ++at;
  return at == begin ? nullptr : at;
}

std::string_view between(const char* begin, const char* end) {
  return {begin, static_cast<std::size_t>(end - begin)};
}

/// The number of four hexadecimal digits, or -1.
int hexadecimal(std::string_view digits) {
  int number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number, 16);
  const bool is_whole = digits.size() == 4 && error == std::errc() && end == digits.data() + 4 && digits[0] != '-';
  return is_whole ? number : -1;
}

void append_utf8(std::string& out, int code) {
  const auto tail = [&](int shift) { out += static_cast<char>(0x80 | ((code >> shift) & 0x3f)); };
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xc0 | (code >> 6));
    tail(0);
  } else if (code < 0x10000) {
    out += static_cast<char>(0xe0 | (code >> 12));
    tail(6);
    tail(0);
  } else {
    out += static_cast<char>(0xf0 | (code >> 18));
    tail(12);
    tail(6);
    tail(0);
  }
}

/// What follows `\u`: how many characters of it stand for one, or 0.
std::size_t append_code(std::string& out, std::string_view text) {
  const int first = hexadecimal(text.substr(0, 4));
  const bool is_surrogate = first >= 0xd800 && first < 0xe000;
  if (first < 0 || (is_surrogate && first >= 0xdc00)) return 0;
  if (!is_surrogate) {
    append_utf8(out, first);
    return 4;
  }
  if (text.size() < 10 || text.substr(4, 2) != "\\u") return 0;
  const int second = hexadecimal(text.substr(6, 4));
  if (second < 0xdc00 || second >= 0xe000) return 0;
  append_utf8(out, 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00));
  return 10;
}

bool append_unescaped(std::string& out, std::string_view text) {
  constexpr std::string_view letters = "\"\\/bfnrt";
  constexpr std::string_view meanings = "\"\\/\b\f\n\r\t";
  out.reserve(text.size());
  for (;;) {
    const auto backslash = text.find('\\');
    out.append(text.substr(0, backslash));
    if (backslash == std::string_view::npos) return true;
    text.remove_prefix(backslash + 1);
    if (text.empty()) return false;
    std::size_t used = 1;
    if (text.front() == 'u') {
      const auto digits = append_code(out, text.substr(1));
      if (digits == 0) return false;
      used += digits;
    } else {
      const auto letter = letters.find(text.front());
      if (letter == std::string_view::npos) return false;
      out += meanings[letter];
    }
    text.remove_prefix(used);
  }
}

template <class T>
bool read_digits(std::string_view json, T& out) {
  const auto [end, error] = std::from_chars(json.data(), json.data() + json.size(), out);
  return error == std::errc() && end == json.data() + json.size();
}

}  // namespace

bool read_boolean(std::string_view json, bool& out) {
  out = json == "true";
  return out || json == "false";
}

bool read_integer(std::string_view json, std::int64_t& out) {
  return read_digits(json, out);
}

bool read_unsigned(std::string_view json, std::uint64_t& out) {
  return read_digits(json, out);
}

bool read_number(std::string_view json, double& out) {
  // An integer first, of which -0 is 0.
  std::int64_t integer = 0;
  if (read_digits(json, integer)) {
    out = static_cast<double>(integer);
    return true;
  }
  const bool is_number = !json.empty() && (json.front() == '-' || (json.front() >= '0' && json.front() <= '9'));
  return is_number && read_digits(json, out);
}

bool read_string(std::string_view json, std::string& out) {
  if (json.size() < 2 || json.front() != '"' || json.back() != '"') return false;
  const auto text = json.substr(1, json.size() - 2);
  out.clear();
  return append_unescaped(out, text);
}

bool MembersText::read(std::string_view json) {
  const char* const end = json.data() + json.size();
  const char* at = skip_space(json.data(), end);
  count_ = 0;
  if (at == end || *at != '{') return false;
  at = skip_space(at + 1, end);
  if (at != end && *at == '}') return true;
  for (;;) {
    if (at == end || *at != '"' || count_ == members_.size()) return false;
    const char* const name_end = skip_string(at, end);
    if (name_end == nullptr) return false;
    const auto name = between(at + 1, name_end - 1);
    if (name.find('\\') != std::string_view::npos) return false;
    at = skip_space(name_end, end);
    if (at == end || *at != ':') return false;
    at = skip_space(at + 1, end);
    const char* const value_end = skip_value(at, end);
    if (value_end == nullptr) return false;
    members_[count_++] = {name, between(at, value_end)};
    at = skip_space(value_end, end);
    if (at == end || (*at != ',' && *at != '}')) return false;
    if (*at == '}') return true;
    at = skip_space(at + 1, end);
  }
}

std::string_view MembersText::find(std::string_view name) const {
  for (std::size_t i = count_; i > 0; --i) {
    if (members_[i - 1].name == name) return members_[i - 1].value;
  }
  return {};
}

std::optional<std::string_view> ItemsText::next() {
  const char* const end = rest_.data() + rest_.size();
  const char* at = skip_space(rest_.data(), end);
  if (at == end || *at != (is_open_ ? ',' : '[')) {
    is_complete_ = is_open_ && at != end && *at == ']';
    return std::nullopt;
  }
  at = skip_space(at + 1, end);
  if (!is_open_ && at != end && *at == ']') {
    is_complete_ = true;
    return std::nullopt;
  }
  is_open_ = true;
  const char* const value_end = skip_value(at, end);
  if (value_end == nullptr) return std::nullopt;
  rest_ = between(value_end, end);
  return between(at, value_end);
}

}  // namespace mcp::detail
