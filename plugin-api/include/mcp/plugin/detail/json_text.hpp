// Writing JSON as text. Everything that a plugin says is written straight into a string, in the author's order of
// fields, without a tree of values in between. Compiled once, in the runtime.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <mcp/plugin/json.hpp>

namespace mcp::detail {

void append_boolean(std::string& out, bool value);
void append_integer(std::string& out, std::int64_t value);
void append_unsigned(std::string& out, std::uint64_t value);
/// Throws std::domain_error for infinity and NaN, which JSON does not have.
void append_number(std::string& out, double value);
void append_number(std::string& out, float value);
/// Quotes and escapes. Bytes that are not UTF-8 become U+FFFD.
void append_string(std::string& out, std::string_view text);
/// Throws as append_number does, and then what has been written ends where the number is.
void append_value(std::string& out, const Json& value);

std::string json_string(std::string_view text);
/// As json_text, of a value that need only be declared.
std::string value_text(const Json& value);

/// `text` and, after it, `bracket`.
std::string closed(std::string_view text, char bracket);

/// JSON text -> a value, for code that sees mcp::Json only declared.
std::shared_ptr<const Json> parsed(std::string_view text);

/// The members of one JSON object, in the order in which they are written. Values are JSON text, except in string().
class ObjectText {
 public:
  ObjectText& member(std::string_view name, std::string_view json);
  ObjectText& string(std::string_view name, std::string_view text);
  /// Writes nothing if the text is empty.
  ObjectText& member_if(std::string_view name, std::string_view json);
  ObjectText& string_if(std::string_view name, std::string_view text);

  bool empty() const { return text_.size() == 1; }
  std::string text() const& { return closed(text_, '}'); }
  std::string text() && { return std::move(text_ += '}'); }

 private:
  std::string text_ = "{";
};

/// `[a,b]` from a, b.
class ArrayText {
 public:
  ArrayText& item(std::string_view json);
  bool empty() const { return text_.size() == 1; }
  std::string text() const& { return closed(text_, ']'); }
  std::string text() && { return std::move(text_ += ']'); }

 private:
  std::string text_ = "[";
};

}  // namespace mcp::detail
