// The JSON parsing test suite: what must be read is read, what must be refused is refused, and what is left open has
// the answer that stands here.
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/json_text.hpp"

namespace mcph {
namespace {

namespace fs = std::filesystem;

const fs::path suite = fs::path(MCP_TEST_CORPORA) / "json-test-suite" / "test_parsing";

class JsonParsingSuite : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!fs::is_directory(suite)) GTEST_SKIP() << "the JSON parsing test suite is not at " << suite;
    for (const auto& entry : fs::directory_iterator(suite)) {
      std::ifstream stream(entry.path(), std::ios::binary);
      texts_.emplace(entry.path().stem().string(), std::string(std::istreambuf_iterator<char>(stream), {}));
    }
  }

  // By the name of the file.
  std::map<std::string, std::string> texts_;
};

TEST_F(JsonParsingSuite, DecidesEveryCaseThatTheStandardDecides) {
  std::size_t passed = 0;
  std::size_t all = 0;
  for (const auto& [name, text] : texts_) {
    if (name.starts_with("i_")) continue;
    ++all;
    const auto parsed = parse_json(text);
    EXPECT_EQ(parsed.has_value(), name.starts_with("y_")) << name << (parsed ? "" : ": " + parsed.error().message);
    if (parsed.has_value() == name.starts_with("y_")) ++passed;
  }
  EXPECT_EQ(all, 283U);
  std::cout << passed << " of " << all << '\n';
}

TEST_F(JsonParsingSuite, RefusesOfTheValidMessagesOnlyThoseWithEqualKeys) {
  std::set<std::string> refused;
  for (const auto& [name, text] : texts_) {
    if (!name.starts_with("y_")) continue;
    if (!parse_json(text, default_json_depth, DuplicateKeys::refuse)) refused.insert(name);
  }
  EXPECT_EQ(refused, (std::set<std::string>{"y_object_duplicated_key", "y_object_duplicated_key_and_value"}));
}

TEST_F(JsonParsingSuite, AnswersWhatTheStandardLeavesOpen) {
  constexpr bool reads = true;
  constexpr bool refuses = false;
  const std::map<std::string_view, bool> answers{
      // Too small for a double is zero; an integer too large for 64 bits is a double.
      {"i_number_double_huge_neg_exp", reads},
      {"i_number_real_underflow", reads},
      {"i_number_too_big_neg_int", reads},
      {"i_number_too_big_pos_int", reads},
      {"i_number_very_big_negative_int", reads},
      // Beyond a double.
      {"i_number_huge_exp", refuses},
      {"i_number_neg_int_huge_exp", refuses},
      {"i_number_pos_double_huge_exp", refuses},
      {"i_number_real_neg_overflow", refuses},
      {"i_number_real_pos_overflow", refuses},
      // Halves of surrogate pairs are no characters.
      {"i_object_key_lone_2nd_surrogate", refuses},
      {"i_string_1st_surrogate_but_2nd_missing", refuses},
      {"i_string_1st_valid_surrogate_2nd_invalid", refuses},
      {"i_string_incomplete_surrogate_and_escape_valid", refuses},
      {"i_string_incomplete_surrogate_pair", refuses},
      {"i_string_incomplete_surrogates_escape_valid", refuses},
      {"i_string_invalid_lonely_surrogate", refuses},
      {"i_string_invalid_surrogate", refuses},
      {"i_string_inverted_surrogates_U+1D11E", refuses},
      {"i_string_lone_second_surrogate", refuses},
      // Not UTF-8.
      {"i_string_UTF-8_invalid_sequence", refuses},
      {"i_string_UTF8_surrogate_U+D800", refuses},
      {"i_string_invalid_utf-8", refuses},
      {"i_string_iso_latin_1", refuses},
      {"i_string_lone_utf8_continuation_byte", refuses},
      {"i_string_not_in_unicode_range", refuses},
      {"i_string_overlong_sequence_2_bytes", refuses},
      {"i_string_overlong_sequence_6_bytes", refuses},
      {"i_string_overlong_sequence_6_bytes_null", refuses},
      {"i_string_truncated-utf-8", refuses},
      {"i_string_UTF-16LE_with_BOM", refuses},
      {"i_string_utf16BE_no_BOM", refuses},
      {"i_string_utf16LE_no_BOM", refuses},
      // Deeper than 64 levels; a byte order mark.
      {"i_structure_500_nested_arrays", refuses},
      {"i_structure_UTF-8_BOM_empty_object", refuses},
  };
  std::size_t open = 0;
  for (const auto& [name, text] : texts_) {
    if (!name.starts_with("i_")) continue;
    ++open;
    const auto answer = answers.find(name);
    ASSERT_NE(answer, answers.end()) << name;
    EXPECT_EQ(parse_json(text).has_value(), answer->second) << name;
  }
  EXPECT_EQ(open, answers.size());
  std::cout << open << " cases that are left open\n";
}

}  // namespace
}  // namespace mcph
