#include "memory/word_index.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

namespace plugins::memory {
namespace {

// Longer words are the same if they begin with the same bytes.
constexpr std::size_t max_word_bytes = 64;
// Shorter beginnings match most of the words that there are.
constexpr std::size_t min_prefix_bytes = 3;

// As they are usual for BM25, and in FTS5.
constexpr double saturation = 1.2;
constexpr double length_weight = 0.75;
constexpr double min_rarity = 1e-6;

fts5_api* api_of(const sqlite::Database& database) {
  fts5_api* api = nullptr;
  const auto row = database.prepare("SELECT fts5(?1)");
  sqlite3_bind_pointer(row.handle(), 1, static_cast<void*>(&api), "fts5_api_ptr", nullptr);
  sqlite3_step(row.handle());
  if (api == nullptr) throw sqlite::Error(SQLITE_ERROR, "this SQLite has no FTS5");
  return api;
}

using Counts = std::map<std::string, std::int64_t, std::less<>>;

struct Score {
  std::size_t words = 0;
  double value = 0;
};

}  // namespace

WordIndex::WordIndex(const sqlite::Database& database) : database_(database) {
  auto* const api = api_of(database);
  void* context = nullptr;
  const int code = api->xFindTokenizer(api, "unicode61", &context, &functions_);
  if (code != SQLITE_OK) throw sqlite::Error(code, "SQLite's tokenizer unicode61 cannot be had");
  tokenizer_ = made_tokenizer(context, "2");
  with_accents_ = made_tokenizer(context, "0");
}

WordIndex::Tokenizer WordIndex::made_tokenizer(void* context, const char* remove_diacritics) const {
  Fts5Tokenizer* made = nullptr;
  std::array<const char*, 2> arguments{"remove_diacritics", remove_diacritics};
  const int code = functions_.xCreate(context, arguments.data(), int{arguments.size()}, &made);
  if (code != SQLITE_OK) throw sqlite::Error(code, "SQLite's tokenizer unicode61 cannot be made");
  return {made, Delete{functions_.xDelete}};
}

std::string WordIndex::schema() {
  return "CREATE TABLE IF NOT EXISTS words(owner INTEGER NOT NULL, word TEXT NOT NULL, note INTEGER NOT NULL, "
         "times INTEGER NOT NULL, PRIMARY KEY(owner, word, note)) WITHOUT ROWID;";
}

std::vector<std::string> WordIndex::words_of_text(std::string_view text) const {
  std::vector<std::string> words;
  const auto take = [](void* to, int, const char* word, int size, int, int) {
    const auto bytes = std::min(static_cast<std::size_t>(size), max_word_bytes);
    static_cast<std::vector<std::string>*>(to)->emplace_back(word, bytes);
    return SQLITE_OK;
  };
  const int code = functions_.xTokenize(tokenizer_.get(), &words, FTS5_TOKENIZE_DOCUMENT, text.data(),
                                        static_cast<int>(text.size()), take);
  if (code != SQLITE_OK) throw sqlite::Error(code, "a note cannot be divided into words");
  return words;
}

std::string WordIndex::lower_case_of(std::string_view text) const {
  struct Lowered {
    std::string_view text;
    std::string lower;
    std::size_t end = 0;  // of what of the text is done
  } lowered{text, {}};
  const auto take = [](void* to, int, const char* word, int size, int begin, int end) {
    auto& done = *static_cast<Lowered*>(to);
    done.lower += done.text.substr(done.end, static_cast<std::size_t>(begin) - done.end);
    done.lower.append(word, static_cast<std::size_t>(size));
    done.end = static_cast<std::size_t>(end);
    return SQLITE_OK;
  };
  const int code = functions_.xTokenize(with_accents_.get(), &lowered, FTS5_TOKENIZE_DOCUMENT, text.data(),
                                        static_cast<int>(text.size()), take);
  if (code != SQLITE_OK) throw sqlite::Error(code, "a tag cannot be written in lower case");
  return lowered.lower + std::string(text.substr(lowered.end));
}

void WordIndex::add(std::int64_t owner, std::int64_t note, std::string_view text) {
  Counts counts;
  for (auto& word : words_of_text(text))
    ++counts[std::move(word)];
  auto insert = database_.prepare("INSERT INTO words(owner, word, note, times) VALUES(?, ?, ?, ?)");
  for (const auto& [word, times] : counts)
    insert.with(owner, word, note, times).run();
}

void WordIndex::remove(std::int64_t owner, std::int64_t note, std::string_view text) {
  auto remove = database_.prepare("DELETE FROM words WHERE owner = ? AND word = ? AND note = ?");
  for (const auto& word : words_of_text(text))
    remove.with(owner, word, note).run();
}

std::vector<std::string> WordIndex::words_of(std::string_view query) const {
  std::vector<std::string> words;
  for (auto& word : words_of_text(query)) {
    if (words.size() == max_query_words) break;
    if (std::find(words.begin(), words.end(), word) == words.end()) words.push_back(std::move(word));
  }
  return words;
}

std::vector<std::int64_t> WordIndex::best(std::int64_t owner, const std::vector<std::string>& words,
                                          Match match) const {
  auto all = database_.prepare("SELECT count(*), coalesce(avg(bytes), 1) FROM notes WHERE owner = ?");
  all.with(owner);
  all.step();
  const auto notes = all.real(0);
  const auto usual_bytes = all.real(1);
  auto having = database_.prepare(
      "SELECT note, sum(times), bytes FROM words JOIN notes ON notes.sequence = note "
      "WHERE words.owner = ?1 AND word >= ?2 AND word < ?3 GROUP BY note");
  std::map<std::int64_t, Score> scores;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool is_prefix = i + 1 == words.size() && words[i].size() >= min_prefix_bytes;
    // No word goes on with NUL, and none with the byte 0xFF, which is in no UTF-8.
    having.with(owner, words[i], words[i] + (is_prefix ? '\xFF' : '\0'));
    std::vector<std::pair<std::int64_t, double>> found;
    while (having.step()) {
      const double length = 1 - length_weight + length_weight * having.real(2) / usual_bytes;
      const double times = having.real(1);
      found.emplace_back(having.integer(0), times * (saturation + 1) / (times + saturation * length));
    }
    const auto count = static_cast<double>(found.size());
    const double rarity = std::max(std::log((notes - count + 0.5) / (count + 0.5)), min_rarity);
    for (const auto& [note, weight] : found) {
      auto& score = scores[note];
      ++score.words;
      score.value += rarity * weight;
    }
  }
  std::vector<std::pair<double, std::int64_t>> ranked;
  for (const auto& [note, score] : scores) {
    if (match == Match::any || score.words == words.size()) ranked.emplace_back(score.value, note);
  }
  std::sort(ranked.rbegin(), ranked.rend());
  std::vector<std::int64_t> best;
  best.reserve(ranked.size());
  for (const auto& [value, note] : ranked)
    best.push_back(note);
  return best;
}

}  // namespace plugins::memory
