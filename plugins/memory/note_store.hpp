// NoteStore: the notes, in a file of SQLite that several processes may use at once. Each belongs to an owner, and is
// found by nobody else; nothing that an owner is told depends on the notes of others, ids included, but that the file
// is full. Any thread may call it; one call after the other is answered. Throws std::exception.
#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "memory/word_index.hpp"
#include "shared/mutex.hpp"
#include "shared/sqlite.hpp"

namespace plugins::memory {

struct Note {
  std::int64_t id = 0;
  std::string text;
  std::vector<std::string> tags;
  std::string created;  // "2026-01-12T15:00:58Z"
};

struct TagCount {
  std::string tag;
  std::int64_t notes = 0;
};

struct Limits {
  std::int64_t notes = 10'000;               // of one owner
  std::int64_t bytes = 16'777'216;           // of their texts and tags
  std::int64_t store_bytes = 1'073'741'824;  // of the file
};

// Why a note cannot be kept: for the model to read.
class StoreFull : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class NoteStore {
 public:
  // Makes the file if it is not there, and takes over the notes of one of the first format.
  NoteStore(const std::string& path, const Limits& limits);

  // A note has each tag once, in lower case. Throws StoreFull.
  Note remember(const std::string& owner, std::string text, const std::vector<std::string>& tags);
  // Those that have all of the tags, and all words of the query; if there are none with all words, those that have one.
  // With a query the best first, with a blank one the newest. Tags are the same whatever their case.
  std::vector<Note> recall(const std::string& owner, std::string_view query, const std::vector<std::string>& given_tags,
                           int limit);
  // False if the owner has no such note.
  bool forget(const std::string& owner, std::int64_t id);
  std::vector<TagCount> tags(const std::string& owner);
  std::optional<Note> note(const std::string& owner, std::int64_t id);

 private:
  void open() REQUIRES(mutex_);
  void take_over_first_format() REQUIRES(mutex_);
  void lower_tags() REQUIRES(mutex_);
  std::vector<std::string> lower_case_of(const std::vector<std::string>& tags) const REQUIRES(mutex_);
  void insert_tags(std::int64_t owner, std::int64_t sequence, const std::vector<std::string>& tags) const
      REQUIRES(mutex_);
  void limit_pages(std::int64_t reserve) const REQUIRES(mutex_);
  void require_room(std::int64_t owner, std::int64_t bytes) const REQUIRES(mutex_);
  std::optional<std::int64_t> number_of(const std::string& owner) const REQUIRES(mutex_);
  std::int64_t made_number_of(const std::string& owner) const REQUIRES(mutex_);
  std::int64_t unused_id() REQUIRES(mutex_);
  void insert(std::int64_t owner, const Note& note, std::int64_t created) REQUIRES(mutex_);
  std::vector<Note> newest(std::int64_t owner, const std::vector<std::string>& tags, int limit) const REQUIRES(mutex_);
  std::vector<Note> best(std::int64_t owner, const std::vector<std::string>& words, WordIndex::Match match,
                         const std::vector<std::string>& tags, int limit) const REQUIRES(mutex_);

  const Limits limits_;
  Mutex mutex_;
  const sqlite::Database database_ GUARDED_BY(mutex_);
  WordIndex words_ GUARDED_BY(mutex_);
  std::mt19937 random_ GUARDED_BY(mutex_){std::random_device()()};
};

}  // namespace plugins::memory
