// All keywords that are understood, each with the function that compiles it. To add a keyword, write its class and its
// compile function in one of the keywords_*.cpp files, and a row in that file's table.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/result.hpp"
#include "schema/compiler.hpp"
#include "schema/dialect.hpp"
#include "schema/program.hpp"

namespace mcph::schema {

inline constexpr auto in_draft_07 = static_cast<std::uint8_t>(Draft::draft_07);
inline constexpr auto in_2020_12 = static_cast<std::uint8_t>(Draft::draft_2020_12);

struct KeywordRule {
  std::string_view name;
  // Null where the keyword, with this value or in this dialect, restricts nothing.
  Result<KeywordPtr> (*compile)(const KeywordSite& site);
  Vocabulary vocabulary = Vocabulary::core;
  std::uint8_t drafts = in_draft_07 | in_2020_12;
};

std::span<const KeywordRule> core_keywords();         // identifiers, references, definitions, defaults
std::span<const KeywordRule> annotation_keywords();   // what restricts nothing
std::span<const KeywordRule> value_keywords();        // type, enum, const, numbers
std::span<const KeywordRule> size_keywords();         // of strings, arrays and objects
std::span<const KeywordRule> text_keywords();         // of strings
std::span<const KeywordRule> array_keywords();        // arrays
std::span<const KeywordRule> object_keywords();       // objects
std::span<const KeywordRule> dependency_keywords();   // what the presence of a property asks for
std::span<const KeywordRule> combination_keywords();  // of several subschemas for the same value
std::span<const KeywordRule> unevaluated_keywords();  // about what the others have left

// In the order of checking: what is cheap and easy to explain comes first, what depends on the others last.
inline std::array<std::span<const KeywordRule>, 10> all_keywords() {
  return {value_keywords(),       size_keywords(),       text_keywords(), object_keywords(),
          array_keywords(),       dependency_keywords(), core_keywords(), annotation_keywords(),
          combination_keywords(), unevaluated_keywords()};
}

// The schema `false`.
KeywordPtr make_never();

// The keyword's value as a subschema that restricts nothing; something may refer into it.
Result<KeywordPtr> compile_unused(const KeywordSite& site);

// The keyword's value as a number of things.
Result<std::size_t> read_size(const KeywordSite& site);

// The keyword's value as a list of property names, each of which stands there once.
Result<std::vector<std::string>> read_names(const KeywordSite& site, const nlohmann::ordered_json& names);

}  // namespace mcph::schema
