// All keywords that are understood, each with the function that compiles it. To add a keyword, write its class and its
// compile function in one of the schema_keywords_*.cpp files, and a row in that file's table.
#pragma once

#include <array>
#include <span>
#include <string_view>

#include "catalog/schema_compiler.hpp"
#include "catalog/schema_program.hpp"
#include "result.hpp"

namespace mcph::schema {

struct KeywordRule {
  std::string_view name;
  // Null where the keyword, with this value or in this dialect, restricts nothing.
  Result<KeywordPtr> (*compile)(const KeywordSite& site);
};

std::span<const KeywordRule> core_keywords();         // identifiers, references, annotations we use
std::span<const KeywordRule> value_keywords();        // type, enum, const, numbers
std::span<const KeywordRule> size_keywords();         // of strings, arrays and objects
std::span<const KeywordRule> array_keywords();        // arrays
std::span<const KeywordRule> object_keywords();       // objects
std::span<const KeywordRule> combination_keywords();  // of several subschemas for the same value
std::span<const KeywordRule> unchecked_keywords();    // restrict instances, but are not checked

// In the order of checking: what is cheap and easy to explain comes first.
inline std::array<std::span<const KeywordRule>, 7> all_keywords() {
  return {value_keywords(), size_keywords(),        object_keywords(),   array_keywords(),
          core_keywords(),  combination_keywords(), unchecked_keywords()};
}

// The schema `false`.
KeywordPtr make_never();

}  // namespace mcph::schema
