#include "knowledge/index_writer.hpp"

#include "shared/relative_path.hpp"

namespace plugins::knowledge {
namespace {

constexpr std::int64_t format = 3;

// What is removed is told by those who do not keep the index, too: the last of it is remembered for them.
constexpr auto schema = R"(
CREATE TABLE folder(path TEXT NOT NULL);
CREATE TABLE limits(max_file_bytes INTEGER NOT NULL, pdf_milliseconds INTEGER NOT NULL);
CREATE TABLE documents(
  id INTEGER PRIMARY KEY AUTOINCREMENT, path TEXT NOT NULL UNIQUE, size INTEGER NOT NULL, modified INTEGER NOT NULL,
  changed INTEGER NOT NULL, title TEXT, problem TEXT);
CREATE TABLE removed(id INTEGER PRIMARY KEY AUTOINCREMENT, path TEXT NOT NULL);
CREATE TRIGGER is_removed AFTER DELETE ON documents WHEN old.problem IS NULL BEGIN
  INSERT INTO removed(path) VALUES(old.path);
  DELETE FROM removed WHERE id <= last_insert_rowid() - 10000;
END;
CREATE VIRTUAL TABLE texts USING fts5(title, path, body, tokenize = 'unicode61 remove_diacritics 2');
)";

// What is written goes from the log to the file, for which the disk has to be waited for, in large parts.
constexpr auto connection_settings =
    "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 16384";

// Ours if it is of this format and this folder.
bool is_ours(const sqlite::Database& database, const std::string& folder) {
  if (database.integer("PRAGMA user_version") != format) return false;
  auto row = database.prepare("SELECT path FROM folder");
  return row.step() && row.text(0) == folder;
}

sqlite::Database opened(const std::string& file, const std::string& folder) {
  {
    sqlite::Database database(file);
    database.execute(connection_settings);
    if (is_ours(database, folder)) return database;
  }
  sqlite::remove_database(file);
  sqlite::Database database(file);
  database.execute(connection_settings);
  sqlite::Transaction transaction(database);
  database.execute(schema);
  // More is gathered in memory before it is written, which makes the first time fast.
  database.execute("INSERT INTO texts(texts, rank) VALUES('hashsize', 16777216)");
  database.run("INSERT INTO folder(path) VALUES(?)", folder);
  database.execute("PRAGMA user_version = " + std::to_string(format));
  transaction.commit();
  return database;
}

}  // namespace

IndexWriter IndexWriter::open(const std::string& file, const std::string& folder) {
  try {
    return {file, folder};
  } catch (const sqlite::Error& error) {
    if (!error.is_damaged()) throw;
    sqlite::remove_database(file);
    return {file, folder};
  }
}

IndexWriter::IndexWriter(const std::string& file, const std::string& folder)
    : database_(opened(file, folder)),
      insert_document_(database_.prepare("INSERT INTO documents(path, size, modified, changed, title, problem) "
                                         "VALUES(?, ?, ?, ?, ?, ?) RETURNING id")),
      insert_text_(database_.prepare("INSERT INTO texts(rowid, title, path, body) VALUES(?, ?, ?, ?)")),
      remove_document_(database_.prepare("DELETE FROM documents WHERE path = ? RETURNING id, problem IS NULL")),
      remove_text_(database_.prepare("DELETE FROM texts WHERE rowid = ?")),
      files_(static_cast<std::size_t>(database_.integer("SELECT count(*) FROM documents"))) {}

void IndexWriter::set_limits(std::uint64_t max_file_bytes, std::chrono::milliseconds pdf_time) {
  const auto bytes = static_cast<std::int64_t>(max_file_bytes);
  const std::int64_t milliseconds = pdf_time.count();
  auto row = database_.prepare("SELECT 1 FROM limits WHERE max_file_bytes = ? AND pdf_milliseconds = ?");
  if (row.with(bytes, milliseconds).step()) return;
  row.reset();
  sqlite::Transaction transaction(database_);
  database_.execute("DELETE FROM limits");
  database_.run("INSERT INTO limits VALUES(?, ?)", bytes, milliseconds);
  database_.execute("DELETE FROM documents WHERE problem IS NOT NULL");
  files_ -= static_cast<std::size_t>(database_.changed_rows());
  transaction.commit();
}

Files IndexWriter::known(const std::string& path) {
  // "0" is what follows "/".
  auto rows = path == "." ? database_.prepare("SELECT path, size, modified, changed FROM documents")
                          : database_.prepare(
                                "SELECT path, size, modified, changed FROM documents "
                                "WHERE path = ?1 OR (path > ?1 || '/' AND path < ?1 || '0')");
  if (path != ".") rows.with(path);
  Files files;
  while (rows.step())
    files.emplace(rows.string(0), FileState{rows.integer(1), rows.integer(2), rows.integer(3)});
  return files;
}

void IndexWriter::put(const std::string& path, const FileState& state, std::string_view title, std::string_view text) {
  remove(path);
  insert_document_.with(path, state.size, state.modified_nanoseconds, 0, title, nullptr);
  insert_document_.step();
  const auto id = insert_document_.integer(0);
  insert_document_.run();
  insert_text_.with(id, title, path);
  insert_text_.bind_view(4, text);
  insert_text_.run();
  ++files_;
}

void IndexWriter::put_problem(const std::string& path, const FileState& state, const std::string& problem) {
  remove(path);
  insert_document_.with(path, state.size, state.modified_nanoseconds, state.changed_nanoseconds, nullptr, problem)
      .run();
  ++files_;
}

void IndexWriter::remove(const std::string& path) {
  remove_document_.with(path);
  if (!remove_document_.step()) return;
  const auto id = remove_document_.integer(0);
  const bool has_text = remove_document_.integer(1) != 0;
  remove_document_.run();
  --files_;
  if (has_text) remove_text_.with(id).run();
}

}  // namespace plugins::knowledge
