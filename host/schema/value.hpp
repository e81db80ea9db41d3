// JSON values as JSON Schema sees them: numbers by their exact mathematical value, objects without order, strings as
// code points. Plain functions without state.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include <nlohmann/json_fwd.hpp>

#include "base/json_document.hpp"

namespace mcph::schema {

using Number = std::variant<std::int64_t, std::uint64_t, double>;

// Nothing: it is none.
template <class Json>
std::optional<Number> number_of(const Json& value) {
  if (value.is_number_unsigned()) return value.template get<std::uint64_t>();
  if (value.is_number_integer()) return value.template get<std::int64_t>();
  if (value.is_number_float()) return value.template get<double>();
  return std::nullopt;
}

// Exact also between int64, uint64 and double, unlike nlohmann's operators. NaN, which no JSON text contains, is below
// every number.
std::weak_ordering compare_numbers(Number left, Number right);

// A total order in which JSON Schema's equal values are equivalent (2020-12 core, section 4.2.2). Recurses once a level
// that both values have.
std::weak_ordering compare_values(JsonValue left, JsonValue right);

// True for 1, 1.0 and 1e300, false for 1.5.
bool is_integer(Number number);

// Exact in decimal, as people mean it: 0.0075 is a multiple of 0.0001. Expects a divisor above zero.
bool is_multiple_of(Number value, Number divisor);

std::size_t count_code_points(std::string_view utf8);

// True if arrays and objects are nested in `value` by more than `levels`. Recurses at most so deep.
bool nested_deeper_than(JsonValue value, std::size_t levels);
template <class Json>
bool nested_deeper_than(const Json& value, std::size_t levels) {
  if (!value.is_structured()) return false;
  if (levels == 0) return true;
  for (const auto& element : value) {
    if (nested_deeper_than(element, levels - 1)) return true;
  }
  return false;
}

// How much of a text messages show. In bytes.
inline constexpr std::size_t max_shown_text = 60;

// For messages. What stands in an instance: `250`, `"abc"`, `an array of 3 items`. Always short.
std::string describe(JsonValue value);

// For messages: the beginning of the value's JSON text.
std::string short_text(const nlohmann::json& value);
std::string short_text(JsonValue value);
std::string text_of(Number number);

// For messages: the beginning of the text, as a JSON string.
std::string in_quotes(std::string_view text);

}  // namespace mcph::schema
