#include "memory/note_store.hpp"

#include <ctime>
#include <utility>

#include "shared/search_words.hpp"
#include "shared/text.hpp"

namespace plugins::memory {
namespace {

// Tags have no line breaks, so that the column of a note's tags is their list.
constexpr auto schema = R"(
PRAGMA journal_mode = WAL;
PRAGMA synchronous = FULL;
BEGIN IMMEDIATE;
CREATE TABLE IF NOT EXISTS notes(
  id INTEGER PRIMARY KEY AUTOINCREMENT, owner TEXT NOT NULL, text TEXT NOT NULL, tags TEXT NOT NULL,
  bytes INTEGER NOT NULL, created INTEGER NOT NULL);
CREATE INDEX IF NOT EXISTS notes_of_owner ON notes(owner, id, bytes);
CREATE TABLE IF NOT EXISTS note_tags(
  note INTEGER NOT NULL, tag TEXT NOT NULL, PRIMARY KEY(note, tag)) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS notes_of_tag ON note_tags(tag, note);
CREATE VIRTUAL TABLE IF NOT EXISTS note_words USING fts5(
  text, tags, content = 'notes', content_rowid = 'id', tokenize = 'unicode61 remove_diacritics 2');
CREATE TRIGGER IF NOT EXISTS note_kept AFTER INSERT ON notes BEGIN
  INSERT INTO note_words(rowid, text, tags) VALUES(new.id, new.text, new.tags);
END;
CREATE TRIGGER IF NOT EXISTS note_forgotten AFTER DELETE ON notes BEGIN
  INSERT INTO note_words(note_words, rowid, text, tags) VALUES('delete', old.id, old.text, old.tags);
  DELETE FROM note_tags WHERE note = old.id;
END;
COMMIT;
)";

constexpr std::int64_t page_bytes = 4096;
constexpr std::int64_t pages_to_forget = 1024;  // in a store that is full

constexpr std::string_view columns = "notes.id, notes.text, notes.tags, notes.created";

std::string lines_of(const std::vector<std::string>& tags) {
  std::string lines;
  for (const auto& tag : tags)
    lines += (lines.empty() ? "" : "\n") + tag;
  return lines;
}

std::vector<std::string> tags_of(std::string_view lines) {
  std::vector<std::string> tags;
  while (!lines.empty()) {
    const auto end = lines.find('\n');
    tags.emplace_back(lines.substr(0, end));
    lines.remove_prefix(end == std::string_view::npos ? lines.size() : end + 1);
  }
  return tags;
}

Note note_of(const sqlite::Statement& row) {
  return {row.integer(0), row.string(1), tags_of(row.text(2)), utc_text(row.integer(3))};
}

}  // namespace

NoteStore::NoteStore(const std::string& path, const Limits& limits) : limits_(limits), database_(path) {
  database_.execute(schema);
  limit_pages(0);
}

void NoteStore::limit_pages(std::int64_t reserve) const {
  database_.execute("PRAGMA max_page_count = " + std::to_string(limits_.store_bytes / page_bytes + reserve));
}

Note NoteStore::remember(const std::string& owner, std::string text, std::vector<std::string> tags) {
  const MutexLock lock(mutex_);
  const auto lines = lines_of(tags);
  const auto bytes = static_cast<std::int64_t>(text.size() + lines.size());
  const std::int64_t now = std::time(nullptr);
  try {
    sqlite::Transaction transaction(database_);
    require_room(owner, bytes);
    database_.run("INSERT INTO notes(owner, text, tags, bytes, created) VALUES(?, ?, ?, ?, ?)", owner, text, lines,
                  bytes, now);
    const auto id = database_.integer("SELECT max(id) FROM notes");
    auto insert = database_.prepare("INSERT OR IGNORE INTO note_tags(note, tag) VALUES(?, ?)");
    for (const auto& tag : tags)
      insert.with(id, tag).run();
    transaction.commit();
    return {id, std::move(text), std::move(tags), utc_text(now)};
  } catch (const sqlite::Error& error) {
    if (!error.is_full()) throw;
    throw StoreFull("The notes of all take " + std::to_string(limits_.store_bytes) +
                    " bytes, which is the limit of the store: tell its operator");
  }
}

std::vector<Note> NoteStore::recall(const std::string& owner, std::string_view query,
                                    const std::vector<std::string>& tags, int limit) {
  const MutexLock lock(mutex_);
  const auto words = search_words(query);
  if (words.empty()) return found(owner, "", tags, limit);
  auto notes = found(owner, all_of(words, LastWord::prefix), tags, limit);
  if (notes.empty() && words.size() > 1) notes = found(owner, any_of(words, LastWord::prefix), tags, limit);
  return notes;
}

bool NoteStore::forget(const std::string& owner, std::int64_t id) {
  const MutexLock lock(mutex_);
  // What the index of words notes of what has gone takes room, too.
  limit_pages(pages_to_forget);
  sqlite::Transaction transaction(database_);
  database_.run("DELETE FROM notes WHERE id = ? AND owner = ?", id, owner);
  const bool was_there = database_.changed_rows() > 0;
  transaction.commit();
  limit_pages(0);
  return was_there;
}

std::vector<TagCount> NoteStore::tags(const std::string& owner) {
  const MutexLock lock(mutex_);
  auto rows = database_.prepare(
      "SELECT tag, count(*) FROM notes JOIN note_tags ON note = notes.id WHERE owner = ? "
      "GROUP BY tag ORDER BY count(*) DESC, tag");
  rows.with(owner);
  std::vector<TagCount> counts;
  while (rows.step())
    counts.push_back({rows.string(0), rows.integer(1)});
  return counts;
}

std::optional<Note> NoteStore::note(const std::string& owner, std::int64_t id) {
  const MutexLock lock(mutex_);
  auto row = database_.prepare("SELECT " + std::string(columns) + " FROM notes WHERE id = ? AND owner = ?");
  row.with(id, owner);
  if (!row.step()) return std::nullopt;
  return note_of(row);
}

void NoteStore::require_room(const std::string& owner, std::int64_t bytes) const {
  auto row = database_.prepare("SELECT count(*), coalesce(sum(bytes), 0) FROM notes WHERE owner = ?");
  row.with(owner);
  row.step();
  if (row.integer(0) >= limits_.notes) {
    throw StoreFull("There are " + std::to_string(row.integer(0)) +
                    " notes, which is the limit. Forget some that are needed no more");
  }
  if (row.integer(1) + bytes > limits_.bytes) {
    throw StoreFull("The notes take " + std::to_string(row.integer(1)) + " of " + std::to_string(limits_.bytes) +
                    " bytes, and this one has " + std::to_string(bytes) + ". Forget some, or keep a shorter one");
  }
}

std::vector<Note> NoteStore::found(const std::string& owner, const std::string& expression,
                                   const std::vector<std::string>& tags, int limit) const {
  const bool has_query = !expression.empty();
  std::string sql = "SELECT " + std::string(columns) +
                    (has_query ? " FROM note_words JOIN notes ON notes.id = note_words.rowid" : " FROM notes") +
                    " WHERE owner = ?1";
  if (has_query) sql += " AND note_words MATCH ?2";
  for (std::size_t i = 0; i < tags.size(); ++i) {
    sql += " AND EXISTS(SELECT 1 FROM note_tags WHERE note = notes.id AND tag = ?" + std::to_string(i + 4) + ')';
  }
  sql += has_query ? " ORDER BY bm25(note_words), notes.id DESC LIMIT ?3" : " ORDER BY notes.id DESC LIMIT ?3";
  auto rows = database_.prepare(sql);
  rows.bind(1, owner);
  if (has_query) rows.bind(2, expression);
  rows.bind(3, limit);
  for (std::size_t i = 0; i < tags.size(); ++i)
    rows.bind(static_cast<int>(i + 4), tags[i]);
  std::vector<Note> notes;
  while (rows.step())
    notes.push_back(note_of(rows));
  return notes;
}

}  // namespace plugins::memory
