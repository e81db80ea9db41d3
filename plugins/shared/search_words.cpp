#include "shared/search_words.hpp"

#include <cctype>

namespace plugins {
namespace {

// Control characters, NUL among them, are between words, too.
bool is_between_words(char c) {
  return static_cast<unsigned char>(c) <= ' ' || c == '\x7F';
}

// Whether it is in a token. Beyond ASCII only the tokenizer knows; a word in which that finds none matches nothing, and
// is no error.
bool is_in_token(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x80 || std::isalnum(byte) != 0;
}

// The word up to the end of the last token for which there is room. Empty if it has none, or there is no room.
std::string_view with_tokens(std::string_view word, std::size_t& room) {
  std::size_t size = 0;
  for (std::size_t at = 0; at < word.size(); ++at) {
    if (!is_in_token(word[at])) continue;
    if (room == 0) return word.substr(0, size);
    --room;
    while (at < word.size() && is_in_token(word[at]))
      ++at;
    size = at;
  }
  return size > 0 ? word : word.substr(0, 0);
}

std::string quoted_word(std::string_view word) {
  std::string quoted = "\"";
  for (const char c : word) {
    quoted += c;
    if (c == '"') quoted += c;
  }
  return quoted + '"';
}

}  // namespace

std::vector<std::string> search_words(std::string_view text) {
  std::vector<std::string> words;
  std::size_t room = max_search_tokens;
  std::size_t begin = 0;
  while (begin < text.size() && words.size() < max_search_words) {
    if (is_between_words(text[begin])) {
      ++begin;
      continue;
    }
    std::size_t end = begin;
    while (end < text.size() && !is_between_words(text[end]))
      ++end;
    const auto word = with_tokens(text.substr(begin, end - begin), room);
    if (!word.empty()) words.emplace_back(word);
    begin = end;
  }
  return words;
}

// Between quoted words nothing is "and", and unlike AND it leaves out words without a token.
std::string all_of(const std::vector<std::string>& words, LastWord last) {
  std::string expression;
  for (const auto& word : words) {
    if (!expression.empty()) expression += ' ';
    expression += quoted_word(word);
  }
  if (last == LastWord::prefix && !words.empty()) expression += " *";
  return expression;
}

}  // namespace plugins
