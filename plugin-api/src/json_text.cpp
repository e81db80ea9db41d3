#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <stdexcept>

#include <mcp/plugin/detail/encode.hpp>
#include <mcp/plugin/detail/json_text.hpp>
#include <mcp/plugin/detail/scalar.hpp>
#include <nlohmann/json.hpp>

namespace mcp {

Json parse_json(std::string_view text) {
  try {
    return Json::parse(text);
  } catch (const Json::parse_error& error) {
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

template <class T>
void append_finite(std::string& out, T value) {
  if (!std::isfinite(value)) throw std::domain_error("a number is infinite or not a number, which JSON cannot say");
  append_digits(out, value);
}

/// Needs neither an escape nor a look at its encoding.
bool is_plain(char c) {
  return c >= 0x20 && c < 0x7f && c != '"' && c != '\\';
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
  if (std::all_of(text.begin(), text.end(), is_plain)) {
    (out += '"').append(text) += '"';
  } else {
    out += dump_json(Json(text));
  }
}

void append_value(std::string& out, const Json& value) {
  out += dump_json(value);
}

void refuse_nameless(bool says_its_names) {
  throw std::domain_error(says_its_names ? "a value of an enum has no name in its mcp_enum"
                                         : "a value of an enum has no name in the source, or is not from -128 to 255");
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

std::string closed(std::string_view text, char bracket) {
  std::string out;
  out.reserve(text.size() + 1);
  return out.append(text) += bracket;
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
