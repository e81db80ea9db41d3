// WordIndex: which words the notes of each owner have, and which notes a query means, the best first (BM25). The words
// of an owner lie together and apart from those of others, and what is rare is so among the owner's own notes: so
// others neither change what is found nor make it slower. Words are as SQLite's tokenizer unicode61 has them, without
// case and accents. It is used by whoever uses the database, which outlives it, and writes within the caller's
// transaction. Throws sqlite::Error.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "shared/sqlite.hpp"

struct Fts5Tokenizer;

namespace plugins::memory {

class WordIndex {
 public:
  static constexpr std::size_t max_query_words = 16;

  explicit WordIndex(const sqlite::Database& database);

  // Nothing is changed where it is there already.
  static std::string schema();

  void add(std::int64_t owner, std::int64_t note, std::string_view text);
  // `text` is what has been added.
  void remove(std::int64_t owner, std::int64_t note, std::string_view text);

  // The same in lower case: of letters of all scripts, and with the accents that they have.
  std::string lower_case_of(std::string_view text) const;

  // The words of a query, of which there are max_query_words at most.
  std::vector<std::string> words_of(std::string_view query) const;
  enum class Match { all, any };
  // The last word may be the beginning of one, from three bytes on. Of equals the newest first.
  std::vector<std::int64_t> best(std::int64_t owner, const std::vector<std::string>& words, Match match) const;

 private:
  struct Delete {
    void (*function)(Fts5Tokenizer*);
    void operator()(Fts5Tokenizer* tokenizer) const { function(tokenizer); }
  };

  using Tokenizer = std::unique_ptr<Fts5Tokenizer, Delete>;

  Tokenizer made_tokenizer(void* context, const char* remove_diacritics) const;
  std::vector<std::string> words_of_text(std::string_view text) const;

  const sqlite::Database& database_;
  fts5_tokenizer functions_{};
  Tokenizer tokenizer_;
  Tokenizer with_accents_;
};

}  // namespace plugins::memory
