#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <mcp/plugin/detail/encode.hpp>
#include <mcp/plugin/detail/json_text.hpp>
#include <mcp/plugin/detail/scalar.hpp>
#include <nlohmann/json.hpp>

namespace mcp {

Json parse_json(std::string_view text) {
  try {
    return Json::parse(text);
  } catch (const Json::exception& error) {
    throw std::invalid_argument(std::string("not valid JSON: ") + error.what());
  }
}

std::string dump_json(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

namespace detail {
namespace {

template <class T>
void append_digits(std::string& out, T value) {
  std::array<char, 40> buffer;
  const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  out.append(buffer.data(), end);
}

constexpr auto not_finite = "a number is infinite or not a number, which JSON cannot say";

template <class T>
void append_finite(std::string& out, T value) {
  if (!std::isfinite(value)) throw std::domain_error(not_finite);
  append_digits(out, value);
}

/// Bytes that are looked at together.
using Lane __attribute__((vector_size(16))) = signed char;

/// Which of them need an escape or a look at their encoding: a quote, a backslash, what is below a space, and a part of
/// a longer character, which as a signed number is below a space, too.
Lane special_in_lane(const char* at) {
  Lane bytes;
  std::memcpy(&bytes, at, sizeof bytes);
  return (bytes < ' ') | (bytes == '"') | (bytes == '\\');
}

template <std::size_t lanes>
bool any_is_special(const char* at) {
  Lane special = special_in_lane(at);
  for (std::size_t i = 1; i < lanes; ++i)
    special |= special_in_lane(at + i * sizeof(Lane));
  std::uint64_t halves[2];
  std::memcpy(halves, &special, sizeof halves);
  return (halves[0] | halves[1]) != 0;
}

/// How many bytes there are at the beginning that are not special.
std::size_t plain_bytes(std::string_view text) {
  constexpr std::size_t lanes_at_once = 4;
  std::size_t count = 0;
  while (count + lanes_at_once * sizeof(Lane) <= text.size() && !any_is_special<lanes_at_once>(text.data() + count))
    count += lanes_at_once * sizeof(Lane);
  while (count + sizeof(Lane) <= text.size() && !any_is_special<1>(text.data() + count))
    count += sizeof(Lane);
  const auto is_plain = [](unsigned char c) { return c >= ' ' && c < 0x80 && c != '"' && c != '\\'; };
  while (count < text.size() && is_plain(static_cast<unsigned char>(text[count])))
    ++count;
  return count;
}

/// How many bytes the character at the beginning has, which is not ASCII, or 0 where there is none (Unicode 15, table
/// 3-7).
std::size_t character_size(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  const auto first = byte(0);
  std::size_t size = 0;
  unsigned least = 0x80;
  unsigned most = 0xbf;
  if (first >= 0xc2 && first <= 0xdf) {
    size = 2;
  } else if (first >= 0xe0 && first <= 0xef) {
    size = 3;
    if (first == 0xe0) least = 0xa0;
    if (first == 0xed) most = 0x9f;
  } else if (first >= 0xf0 && first <= 0xf4) {
    size = 4;
    if (first == 0xf0) least = 0x90;
    if (first == 0xf4) most = 0x8f;
  }
  if (size == 0 || byte(1) < least || byte(1) > most) return 0;
  for (std::size_t i = 2; i < size; ++i) {
    if ((byte(i) & 0xc0U) != 0x80) return 0;
  }
  return size;
}

void append_escaped(std::string& out, char c) {
  constexpr std::string_view special = "\"\\\b\f\n\r\t";
  constexpr std::string_view letters = "\"\\bfnrt";
  constexpr std::string_view digits = "0123456789abcdef";
  out += '\\';
  if (const auto found = special.find(c); found != std::string_view::npos) {
    out += letters[found];
  } else {
    const auto number = static_cast<unsigned char>(c);
    ((out += "u00") += digits[number >> 4U]) += digits[number & 0xfU];
  }
}

/// What follows the string at the beginning.
std::string_view after_string(std::string_view json) {
  std::size_t at = 1;
  while (at < json.size() && json[at] != '"')
    at += json[at] == '\\' ? 2 : 1;
  return json.substr(std::min(at + 1, json.size()));
}

/// Where a text goes on that ends within a value, such as `rows[2].width`; nothing if that is the whole value.
std::string place_at_end(std::string_view json) {
  const bool is_before_key = !json.ends_with(':');
  struct Level {
    bool is_list;
    std::size_t index;
    std::string_view name;
  };
  std::vector<Level> levels;
  while (!json.empty()) {
    const char c = json.front();
    std::string_view rest = json.substr(1);
    if (c == '{' || c == '[') levels.push_back({c == '[', 0, {}});
    if (c == '}' || c == ']') levels.pop_back();
    if (c == ',') levels.back() = {levels.back().is_list, levels.back().index + 1, {}};
    if (c == '"') {
      rest = after_string(json);
      if (rest.starts_with(':')) levels.back().name = json.substr(1, json.size() - rest.size() - 2);
    }
    json = rest;
  }
  if (is_before_key && !levels.empty()) levels.back().name = {};
  std::string place;
  for (const Level& level : levels) {
    if (level.is_list) {
      place += '[' + std::to_string(level.index) + ']';
    } else if (!level.name.empty()) {
      (place += place.empty() ? "" : ".") += level.name;
    }
  }
  return place;
}

/// Whether there is a number in it that JSON cannot say. Then `way` is what leads to the first one, as place_at_end
/// reads it: a list has commas alone.
bool leads_to_not_finite(const Json& value, std::string& way) {
  if (value.is_number_float()) return !std::isfinite(value.get<double>());
  if (const auto* const list = value.get_ptr<const Json::array_t*>()) {
    const auto found = std::ranges::find_if(*list, [&](const Json& item) { return leads_to_not_finite(item, way); });
    if (found == list->end()) return false;
    way.insert(0, '[' + std::string(static_cast<std::size_t>(found - list->begin()), ','));
    return true;
  }
  if (const auto* const object = value.get_ptr<const Json::object_t*>()) {
    const auto found =
        std::ranges::find_if(*object, [&](const auto& each) { return leads_to_not_finite(each.second, way); });
    if (found == object->end()) return false;
    way.insert(0, '{' + json_string(found->first) + ':');
    return true;
  }
  return false;
}

/// False for what is not UTF-8.
bool append_contents(std::string& out, std::string_view text) {
  while (!text.empty()) {
    const auto plain = plain_bytes(text);
    out.append(text.substr(0, plain));
    text.remove_prefix(plain);
    if (text.empty()) break;
    std::size_t size = 1;
    if (static_cast<unsigned char>(text.front()) < 0x80) {
      append_escaped(out, text.front());
    } else {
      size = character_size(text);
      if (size == 0) return false;
      out.append(text.substr(0, size));
    }
    text.remove_prefix(size);
  }
  return true;
}

}  // namespace

void append_boolean(std::string& out, bool value) {
  out += value ? "true" : "false";
}

void append_integer(std::string& out, std::int64_t value) {
  append_digits(out, value);
}

void append_unsigned(std::string& out, std::uint64_t value) {
  append_digits(out, value);
}

void append_number(std::string& out, double value) {
  append_finite(out, value);
}

void append_number(std::string& out, float value) {
  append_finite(out, value);
}

void append_string(std::string& out, std::string_view text) {
  const std::size_t begin = out.size();
  out.reserve(begin + text.size() + 2);
  out += '"';
  if (append_contents(out, text)) {
    out += '"';
  } else {
    out.resize(begin);
    out += dump_json(Json(text));
  }
}

void append_value(std::string& out, const Json& value) {
  if (std::string way; leads_to_not_finite(value, way)) {
    out += way;
    throw std::domain_error(not_finite);
  }
  out += dump_json(value);
}

void refuse_nameless(bool says_its_names) {
  throw std::domain_error(says_its_names ? "a value of an enum has no name in its mcp_enum"
                                         : "a value of an enum has no name in the source, or is not from -128 to 255");
}

void refuse_to_write(std::string_view written, const std::domain_error& why) {
  const std::string place = place_at_end(written);
  throw std::domain_error(place.empty() ? why.what() : '"' + place + "\": " + why.what());
}

void append_separator(std::string& out) {
  if (out.back() != '{' && out.back() != '[') out += ',';
}

void append_member_name(std::string& out, std::string_view name) {
  append_separator(out);
  append_string(out, name);
  out += ':';
}

std::string json_string(std::string_view text) {
  std::string out;
  append_string(out, text);
  return out;
}

std::string value_text(const Json& value) {
  std::string way;
  if (leads_to_not_finite(value, way)) refuse_to_write(way, std::domain_error(not_finite));
  return dump_json(value);
}

std::string closed(std::string_view text, char bracket) {
  std::string out;
  out.reserve(text.size() + 1);
  out.append(text) += bracket;
  return out;
}

std::shared_ptr<const Json> parsed(std::string_view text) {
  return std::make_shared<const Json>(parse_json(text));
}

std::string scalar_text(const Scalar& value) {
  struct Writer {
    std::string operator()(std::monostate) const { return "null"; }
    std::string operator()(bool boolean) const { return json_text(boolean); }
    std::string operator()(std::int64_t integer) const { return json_text(integer); }
    std::string operator()(std::uint64_t integer) const { return json_text(integer); }
    std::string operator()(double number) const { return json_text(number); }
    std::string operator()(std::string_view text) const { return json_string(text); }
  };
  return std::visit(Writer{}, value);
}

ObjectText& ObjectText::member(std::string_view name, std::string_view json) {
  append_member_name(text_, name);
  text_ += json;
  return *this;
}

ObjectText& ObjectText::string(std::string_view name, std::string_view text) {
  append_member_name(text_, name);
  append_string(text_, text);
  return *this;
}

ObjectText& ObjectText::member_if(std::string_view name, std::string_view json) {
  return json.empty() ? *this : member(name, json);
}

ObjectText& ObjectText::string_if(std::string_view name, std::string_view text) {
  return text.empty() ? *this : string(name, text);
}

ArrayText& ArrayText::item(std::string_view json) {
  append_separator(text_);
  text_ += json;
  return *this;
}

}  // namespace detail
}  // namespace mcp
