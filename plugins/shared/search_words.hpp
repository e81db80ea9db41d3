// The words that somebody searches for, as expressions of SQLite's full-text search. Each word is quoted, so that
// nothing in it is an operator, and no text fails. Pure functions.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace plugins {

constexpr std::size_t max_search_words = 16;

// A word such as a.b.c is a phrase of three. What they take grows with these.
constexpr std::size_t max_search_tokens = 32;

// What lies between spaces and has a letter or a digit; the first 16 of them, as far as they have 32 tokens together.
std::vector<std::string> search_words(std::string_view text);

enum class LastWord { whole, prefix };

// Matches what has each of the words. With LastWord::prefix the last of them may be the beginning of a word.
std::string all_of(const std::vector<std::string>& words, LastWord last = LastWord::whole);

}  // namespace plugins
