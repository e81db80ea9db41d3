#include "shared/search_words.hpp"

#include <algorithm>
#include <cctype>

namespace plugins {
namespace {

// Control characters, NUL among them, are between words, too.
bool is_between_words(char c) {
  return static_cast<unsigned char>(c) <= ' ' || c == '\x7F';
}

// Whether the tokenizer finds something in it. Beyond ASCII only it knows; then the word matches nothing, and is no
// error.
bool has_token(std::string_view word) {
  return std::any_of(word.begin(), word.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte >= 0x80 || std::isalnum(byte) != 0;
  });
}

std::string quoted_word(std::string_view word) {
  std::string quoted = "\"";
  for (const char c : word) {
    quoted += c;
    if (c == '"') quoted += c;
  }
  return quoted + '"';
}

std::string joined(const std::vector<std::string>& words, std::string_view between, LastWord last) {
  std::string expression;
  for (const auto& word : words) {
    if (!expression.empty()) expression += between;
    expression += quoted_word(word);
  }
  if (last == LastWord::prefix && !words.empty()) expression += " *";
  return expression;
}

}  // namespace

std::vector<std::string> search_words(std::string_view text) {
  std::vector<std::string> words;
  std::size_t begin = 0;
  while (begin < text.size() && words.size() < max_search_words) {
    if (is_between_words(text[begin])) {
      ++begin;
      continue;
    }
    std::size_t end = begin;
    while (end < text.size() && !is_between_words(text[end]))
      ++end;
    const auto word = text.substr(begin, end - begin);
    if (has_token(word)) words.emplace_back(word);
    begin = end;
  }
  return words;
}

// Between quoted words nothing is "and", and unlike AND it leaves out words without a token.
std::string all_of(const std::vector<std::string>& words, LastWord last) {
  return joined(words, " ", last);
}

std::string any_of(const std::vector<std::string>& words, LastWord last) {
  return joined(words, " OR ", last);
}

}  // namespace plugins
