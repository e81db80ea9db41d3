// JSON values as JSON Schema sees them: numbers by their exact mathematical value, objects without order, strings as
// code points. Plain functions without state.
#pragma once

#include <compare>
#include <cstddef>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace mcph::schema {

// Exact also between int64, uint64 and double, unlike nlohmann's operators. NaN, which no JSON text contains, is below
// every number. Expects numbers.
std::weak_ordering compare_numbers(const nlohmann::json& left, const nlohmann::json& right);

// A total order in which JSON Schema's equal values are equivalent (2020-12 core, section 4.2.2). Recurses once a level
// that both values have.
std::weak_ordering compare_values(const nlohmann::json& left, const nlohmann::json& right);

// True for 1, 1.0 and 1e300, false for 1.5 and "1".
bool is_integer(const nlohmann::json& value);

// Exact in decimal, as people mean it: 0.0075 is a multiple of 0.0001. Expects numbers, and a divisor above zero.
bool is_multiple_of(const nlohmann::json& value, const nlohmann::json& divisor);

std::size_t count_code_points(std::string_view utf8);

// True if arrays and objects are nested in `value` by more than `levels`. Recurses at most so deep.
template <class Json>
bool nested_deeper_than(const Json& value, std::size_t levels) {
  if (!value.is_structured()) return false;
  if (levels == 0) return true;
  for (const auto& element : value) {
    if (nested_deeper_than(element, levels - 1)) return true;
  }
  return false;
}

// For messages. What stands in an instance: `250`, `"abc"`, `an array of 3 items`. Always short.
std::string describe(const nlohmann::json& value);

// For messages: the beginning of the value's JSON text.
std::string short_text(const nlohmann::json& value);

// For messages: the beginning of the text, as a JSON string.
std::string in_quotes(std::string_view text);

}  // namespace mcph::schema
