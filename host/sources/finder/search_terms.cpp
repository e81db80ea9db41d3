#include "sources/finder/search_terms.hpp"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <utility>

namespace mcph {
namespace {

constexpr std::size_t max_word = 64;

// In their order, as the synonyms are.
constexpr std::string_view stop_words[] = {
    "a",   "about", "an",   "and",   "any",   "are",  "as",   "at",   "be",    "by",     "can",  "could",
    "do",  "does",  "for",  "from",  "has",   "have", "how",  "i",    "if",    "in",     "into", "is",
    "it",  "its",   "me",   "my",    "need",  "of",   "on",   "or",   "our",   "please", "some", "that",
    "the", "their", "them", "there", "these", "they", "this", "to",   "us",    "use",    "want", "was",
    "we",  "what",  "when", "where", "which", "who",  "will", "with", "would", "you",    "your"};
static_assert(std::ranges::is_sorted(stop_words));

// Words for one thing, of which tools are described by either: what is said, and what counts in its stead.
struct Synonym {
  std::string_view said;
  std::string_view meant;
};
constexpr Synonym synonyms[] = {
    {"config", "configuration"}, {"db", "database"},     {"dir", "directory"},       {"doc", "document"},
    {"docs", "document"},        {"erase", "delete"},    {"folder", "directory"},    {"folders", "directory"},
    {"k8s", "kubernetes"},       {"mail", "email"},      {"make", "create"},         {"msg", "message"},
    {"photo", "image"},          {"picture", "image"},   {"postgres", "postgresql"}, {"remove", "delete"},
    {"removes", "delete"},       {"repo", "repository"}, {"repos", "repository"},    {"row", "record"},
    {"rows", "record"},
};
static_assert(std::ranges::is_sorted(synonyms, {}, &Synonym::said));

bool is_word_letter(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x80 || std::isalnum(byte) != 0;
}
bool is_upper(char c) {
  return c >= 'A' && c <= 'Z';
}
bool is_lower(char c) {
  return c >= 'a' && c <= 'z';
}

bool take_ending(std::string& word, std::string_view ending, std::size_t least) {
  if (word.size() < ending.size() + least || !word.ends_with(ending)) return false;
  word.resize(word.size() - ending.size());
  return true;
}

// "runn" of "running"; not "fill" or "pass".
void undouble(std::string& word) {
  const auto size = word.size();
  if (size < 4 || word[size - 1] != word[size - 2]) return;
  if (std::string_view("lsz").find(word.back()) == std::string_view::npos) word.pop_back();
}

// What different forms of an English word have in common. It need be no word, and not be exact: what is looked for goes
// through this, too.
std::string stem(std::string word) {
  if (word.size() < 4 || !std::ranges::all_of(word, is_lower)) return word;
  constexpr std::string_view plurals[] = {"ies", "sses", "ches", "shes", "xes"};
  if (std::ranges::any_of(plurals, [&](std::string_view plural) { return word.ends_with(plural); })) {
    word.resize(word.size() - 2);
  } else if (word.ends_with('s') && !word.ends_with("ss") && !word.ends_with("us") && !word.ends_with("is")) {
    word.pop_back();
  }
  if (take_ending(word, "ing", 3) || take_ending(word, "ed", 3)) {
    undouble(word);
  } else if (!take_ending(word, "ment", 4)) {
    take_ending(word, "ion", 4);
  }
  take_ending(word, "e", 3);
  if (word.ends_with('y') && word.size() > 3) word.back() = 'i';
  return word;
}

void add(std::vector<std::string>& terms, std::string_view word) {
  std::string lower(word.substr(0, max_word));
  std::ranges::transform(lower, lower.begin(), [](char c) { return is_upper(c) ? static_cast<char>(c + 32) : c; });
  if (std::ranges::binary_search(stop_words, lower)) return;
  const auto* const synonym = std::ranges::lower_bound(synonyms, std::string_view(lower), {}, &Synonym::said);
  if (synonym != std::end(synonyms) && synonym->said == lower) lower = synonym->meant;
  terms.push_back(stem(std::move(lower)));
}

// "createPullRequest", "HTTPServer": its parts, and also the whole, because of names such as GitHub.
void add_parts(std::vector<std::string>& terms, std::string_view word) {
  std::size_t begin = 0;
  for (std::size_t i = 1; i < word.size(); ++i) {
    const bool begins = is_upper(word[i]) && (is_lower(word[i - 1]) || (i + 1 < word.size() && is_lower(word[i + 1])));
    if (!begins) continue;
    add(terms, word.substr(begin, i - begin));
    begin = i;
  }
  if (begin > 0) add(terms, word.substr(begin));
  add(terms, word);
}

}  // namespace

std::vector<std::string> search_terms(std::string_view text) {
  std::vector<std::string> terms;
  for (std::size_t begin = 0; begin < text.size();) {
    auto end = begin;
    while (end < text.size() && is_word_letter(text[end]))
      ++end;
    if (end > begin) add_parts(terms, text.substr(begin, end - begin));
    begin = std::max(end, begin + 1);
  }
  return terms;
}

// FNV-1a.
std::uint32_t term_number(std::string_view term) {
  std::uint32_t number = 2166136261U;
  for (const char c : term)
    number = (number ^ static_cast<unsigned char>(c)) * 16777619U;
  return number;
}

}  // namespace mcph
