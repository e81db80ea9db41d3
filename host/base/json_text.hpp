// JSON as text: reading what strangers sent without building anything that could hurt us, and writing text that is
// always valid UTF-8. Plain functions without state; callable from any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "base/result.hpp"

namespace mcph {

// Levels of nested arrays and objects that are read unless the caller says otherwise. Copying, comparing and dumping a
// value recurse once a level, so this is what keeps hostile nesting off the stack.
inline constexpr std::size_t default_json_depth = 64;

// Keys that one object may have in parse_ordered_json. ordered_json looks for a duplicate by walking all keys it
// already has, which is quadratic: 4,096 keys take some 20 ms, 100,000 keys 13 s.
inline constexpr std::size_t max_ordered_keys = 4096;

// Characters that one number may have (RFC 8259, section 9, leaves that to the reader). A longer one says nothing more,
// and takes as long to read as it is long, each time that it is compared.
inline constexpr std::size_t max_number_size = 512;

// RFC 8259 allows that an object has a key twice (section 4) and leaves open which one counts. Where somebody else
// reads the same text, a proxy or the receiver of what we pass on, that is a way to show each a different message:
// messages and what plugins answer are refused.
enum class DuplicateKeys { last_counts, refuse };

// One JSON text (RFC 8259) in UTF-8, with nothing but white space around it. Refused: nesting beyond `max_depth`,
// invalid UTF-8 and escaped halves of surrogate pairs, NaN, numbers beyond a double or longer than max_number_size,
// trailing data, and a byte order mark (section 8.1 leaves that to the reader). Integers beyond 64 bits become the
// nearest double. Keys are equal if their bytes are, once unescaped. The error says what is wrong and, for what is no
// JSON and for a number beyond a double, where; lines and columns begin with 1, columns are bytes.
Result<nlohmann::json> parse_json(std::string_view text, std::size_t max_depth = default_json_depth,
                                  DuplicateKeys duplicates = DuplicateKeys::last_counts);

// The same, keeping the order of keys; refuses equal ones, and objects of more than max_ordered_keys keys.
Result<nlohmann::ordered_json> parse_ordered_json(std::string_view text, std::size_t max_depth = default_json_depth);

// Of a text that has been read before, or that the host has written. In one place, because a parser is long to compile.
// Throws the library's parse_error for any other.
nlohmann::json read_json(std::string_view text);
nlohmann::ordered_json read_ordered_json(std::string_view text);

// Whether it has no line breaks: what separates messages where each is a line.
bool is_one_line(std::string_view text);

// The same JSON, valid UTF-8, without the control characters that JSON lets strings have, U+007F to U+009F, which are
// commands to some terminals: they are escaped.
std::string with_escaped_controls(std::string json);

// Appends `utf8` as a JSON string with its quotes. What is not valid UTF-8 becomes U+FFFD.
void append_json_string(std::string& out, std::string_view utf8);

// About how much memory the tree takes, in bytes.
std::size_t memory_of(const nlohmann::json& tree);
std::size_t memory_of(const nlohmann::ordered_json& tree);

// Compact text. What is not valid UTF-8 in a string becomes U+FFFD.
std::string dump(const nlohmann::json& value);
std::string dump(const nlohmann::ordered_json& value);

}  // namespace mcph
