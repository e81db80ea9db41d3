#include "memory/note_store.hpp"

#include <algorithm>
#include <ctime>
#include <utility>

#include "shared/text.hpp"

namespace plugins::memory {
namespace {

constexpr std::int64_t format = 3;

// Tags have no line breaks, so that the column of a note's tags is their list. `sequence` says which note is newer;
// `id` is what people are told, and tells nothing.
constexpr auto schema = R"(
CREATE TABLE IF NOT EXISTS owners(number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE IF NOT EXISTS notes(
  sequence INTEGER PRIMARY KEY AUTOINCREMENT, id INTEGER NOT NULL UNIQUE, owner INTEGER NOT NULL, text TEXT NOT NULL,
  tags TEXT NOT NULL, bytes INTEGER NOT NULL, created INTEGER NOT NULL);
CREATE INDEX IF NOT EXISTS notes_of_an_owner ON notes(owner, sequence, bytes);
CREATE TABLE IF NOT EXISTS tags(
  owner INTEGER NOT NULL, tag TEXT NOT NULL, note INTEGER NOT NULL, PRIMARY KEY(owner, tag, note)) WITHOUT ROWID;
)";

constexpr std::int64_t page_bytes = 4096;
constexpr std::int64_t pages_to_forget = 1024;  // in a store that is full
constexpr std::int64_t largest_id = 2'147'483'647;

constexpr std::string_view columns = "SELECT id, text, tags, created FROM notes";

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

// By which it is found: also by the words of its tags.
std::string searched_text(std::string_view text, std::string_view tags) {
  return std::string(text) + '\n' + std::string(tags);
}

bool is_blank(std::string_view text) {
  return text.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

std::int64_t bytes_of(const Note& note) {
  return static_cast<std::int64_t>(note.text.size() + lines_of(note.tags).size());
}

}  // namespace

NoteStore::NoteStore(const std::string& path, const Limits& limits)
    : limits_(limits), database_(path), words_(database_) {
  open();
  limit_pages(0);
}

void NoteStore::open() {
  database_.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
  sqlite::Transaction transaction(database_);
  if (database_.integer("PRAGMA user_version") != format) {
    const bool is_first = database_.integer("SELECT count(*) FROM sqlite_schema WHERE name = 'note_words'") > 0;
    if (is_first) database_.execute("ALTER TABLE notes RENAME TO first_notes");
    database_.execute(schema + WordIndex::schema());
    if (is_first) take_over_first_format();
    lower_tags();
    database_.execute("PRAGMA user_version = " + std::to_string(format));
  }
  transaction.commit();
}

// In it one index of words had the notes of all. The ids stay: people may know them.
void NoteStore::take_over_first_format() {
  auto rows = database_.prepare("SELECT id, text, tags, owner, created FROM first_notes ORDER BY id");
  while (rows.step()) {
    const Note note{rows.integer(0), rows.string(1), tags_of(rows.text(2)), {}};
    insert(made_number_of(rows.string(3)), note, rows.integer(4));
  }
  rows.reset();
  database_.execute("DROP TABLE note_words; DROP TABLE note_tags; DROP TABLE first_notes");
}

// Before the third format only the letters of ASCII were in lower case.
void NoteStore::lower_tags() {
  auto rows = database_.prepare("SELECT sequence, owner, text, tags FROM notes ORDER BY sequence");
  while (rows.step()) {
    const auto tags = lower_case_of(tags_of(rows.text(3)));
    if (lines_of(tags) == rows.text(3)) continue;
    const auto sequence = rows.integer(0);
    const Note note{0, rows.string(2), tags, {}};
    database_.run("UPDATE notes SET tags = ?, bytes = ? WHERE sequence = ?", lines_of(tags), bytes_of(note), sequence);
    database_.run("DELETE FROM tags WHERE owner = ? AND note = ?", rows.integer(1), sequence);
    insert_tags(rows.integer(1), sequence, tags);
  }
}

std::vector<std::string> NoteStore::lower_case_of(const std::vector<std::string>& tags) const {
  std::vector<std::string> lower;
  for (const auto& each : tags) {
    auto tag = words_.lower_case_of(each);
    if (std::find(lower.begin(), lower.end(), tag) == lower.end()) lower.push_back(std::move(tag));
  }
  return lower;
}

void NoteStore::limit_pages(std::int64_t reserve) const {
  database_.execute("PRAGMA max_page_count = " + std::to_string(limits_.store_bytes / page_bytes + reserve));
}

Note NoteStore::remember(const std::string& owner, std::string text, const std::vector<std::string>& tags) {
  const MutexLock lock(mutex_);
  const std::int64_t now = std::time(nullptr);
  Note note{0, std::move(text), lower_case_of(tags), utc_text(now)};
  try {
    limit_pages(0);  // to forget something takes more
    sqlite::Transaction transaction(database_);
    const auto number = made_number_of(owner);
    require_room(number, bytes_of(note));
    note.id = unused_id();
    insert(number, note, now);
    transaction.commit();
    return note;
  } catch (const sqlite::Error& error) {
    if (!error.is_full()) throw;
    throw StoreFull("The notes of all would take more than " + std::to_string(limits_.store_bytes) +
                    " bytes, which is the limit of the store (maxStoreBytes), or the disk is full: tell its operator");
  }
}

std::vector<Note> NoteStore::recall(const std::string& owner, std::string_view query,
                                    const std::vector<std::string>& given_tags, int limit) {
  const MutexLock lock(mutex_);
  const auto number = number_of(owner);
  if (!number) return {};
  const auto tags = lower_case_of(given_tags);
  if (is_blank(query)) return newest(*number, tags, limit);
  const auto words = words_.words_of(query);
  if (words.empty()) return {};
  auto notes = best(*number, words, WordIndex::Match::all, tags, limit);
  if (notes.empty() && words.size() > 1) notes = best(*number, words, WordIndex::Match::any, tags, limit);
  return notes;
}

bool NoteStore::forget(const std::string& owner, std::int64_t id) {
  const MutexLock lock(mutex_);
  const auto number = number_of(owner);
  if (!number) return false;
  // To take something out of a tree may take room, too.
  limit_pages(pages_to_forget);
  sqlite::Transaction transaction(database_);
  auto row = database_.prepare("SELECT sequence, text, tags FROM notes WHERE id = ? AND owner = ?");
  row.with(id, *number);
  const bool was_there = row.step();
  if (was_there) {
    const auto sequence = row.integer(0);
    words_.remove(*number, sequence, searched_text(row.text(1), row.text(2)));
    for (const auto& tag : tags_of(row.text(2)))
      database_.run("DELETE FROM tags WHERE owner = ? AND tag = ? AND note = ?", *number, tag, sequence);
    row.reset();
    database_.run("DELETE FROM notes WHERE sequence = ?", sequence);
  }
  transaction.commit();
  return was_there;
}

std::vector<TagCount> NoteStore::tags(const std::string& owner) {
  const MutexLock lock(mutex_);
  const auto number = number_of(owner);
  if (!number) return {};
  auto rows =
      database_.prepare("SELECT tag, count(*) FROM tags WHERE owner = ? GROUP BY tag ORDER BY count(*) DESC, tag");
  rows.with(*number);
  std::vector<TagCount> counts;
  while (rows.step())
    counts.push_back({rows.string(0), rows.integer(1)});
  return counts;
}

std::optional<Note> NoteStore::note(const std::string& owner, std::int64_t id) {
  const MutexLock lock(mutex_);
  const auto number = number_of(owner);
  if (!number) return std::nullopt;
  auto row = database_.prepare(std::string(columns) + " WHERE id = ? AND owner = ?");
  row.with(id, *number);
  if (!row.step()) return std::nullopt;
  return note_of(row);
}

void NoteStore::require_room(std::int64_t owner, std::int64_t bytes) const {
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

std::optional<std::int64_t> NoteStore::number_of(const std::string& owner) const {
  auto row = database_.prepare("SELECT number FROM owners WHERE name = ?");
  row.with(owner);
  if (!row.step()) return std::nullopt;
  return row.integer(0);
}

std::int64_t NoteStore::made_number_of(const std::string& owner) const {
  database_.run("INSERT OR IGNORE INTO owners(name) VALUES(?)", owner);
  return number_of(owner).value();
}

// By chance, because one after the other would tell how many notes others keep.
std::int64_t NoteStore::unused_id() {
  auto row = database_.prepare("SELECT 1 FROM notes WHERE id = ?");
  for (;;) {
    const auto id = std::uniform_int_distribution<std::int64_t>(1, largest_id)(random_);
    if (!row.with(id).step()) return id;
  }
}

void NoteStore::insert(std::int64_t owner, const Note& note, std::int64_t created) {
  const auto lines = lines_of(note.tags);
  database_.run("INSERT INTO notes(id, owner, text, tags, bytes, created) VALUES(?, ?, ?, ?, ?, ?)", note.id, owner,
                note.text, lines, bytes_of(note), created);
  const auto sequence = database_.last_id();
  words_.add(owner, sequence, searched_text(note.text, lines));
  insert_tags(owner, sequence, note.tags);
}

void NoteStore::insert_tags(std::int64_t owner, std::int64_t sequence, const std::vector<std::string>& tags) const {
  auto insert = database_.prepare("INSERT OR IGNORE INTO tags(owner, tag, note) VALUES(?, ?, ?)");
  for (const auto& tag : tags)
    insert.with(owner, tag, sequence).run();
}

std::vector<Note> NoteStore::newest(std::int64_t owner, const std::vector<std::string>& tags, int limit) const {
  std::string sql = std::string(columns) + " WHERE owner = ?1";
  for (std::size_t i = 0; i < tags.size(); ++i) {
    const auto parameter = std::to_string(i + 3);
    sql += " AND EXISTS(SELECT 1 FROM tags WHERE tags.owner = ?1 AND tag = ?" + parameter + " AND note = sequence)";
  }
  auto rows = database_.prepare(sql + " ORDER BY sequence DESC LIMIT ?2");
  rows.bind(1, owner);
  rows.bind(2, limit);
  for (std::size_t i = 0; i < tags.size(); ++i)
    rows.bind(static_cast<int>(i + 3), tags[i]);
  std::vector<Note> notes;
  while (rows.step())
    notes.push_back(note_of(rows));
  return notes;
}

std::vector<Note> NoteStore::best(std::int64_t owner, const std::vector<std::string>& words, WordIndex::Match match,
                                  const std::vector<std::string>& tags, int limit) const {
  auto row = database_.prepare(std::string(columns) + " WHERE sequence = ?");
  std::vector<Note> notes;
  for (const auto sequence : words_.best(owner, words, match)) {
    if (notes.size() == static_cast<std::size_t>(limit)) break;
    // Another process may have forgotten it meanwhile.
    if (!row.with(sequence).step()) continue;
    auto note = note_of(row);
    const auto has = [&note](const std::string& tag) {
      return std::find(note.tags.begin(), note.tags.end(), tag) != note.tags.end();
    };
    if (std::all_of(tags.begin(), tags.end(), has)) notes.push_back(std::move(note));
  }
  return notes;
}

}  // namespace plugins::memory
