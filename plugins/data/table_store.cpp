#include "data/table_store.hpp"

#include <cctype>
#include <filesystem>
#include <utility>

#include "shared/text.hpp"

namespace plugins::data {
namespace {

constexpr auto schema = R"(
CREATE TABLE IF NOT EXISTS _tables(
  name TEXT PRIMARY KEY COLLATE NOCASE, path TEXT NOT NULL UNIQUE, size INTEGER NOT NULL, modified INTEGER NOT NULL,
  delimiter TEXT NOT NULL, row_count INTEGER NOT NULL, columns TEXT NOT NULL);
)";

constexpr std::string_view columns = "SELECT name, path, row_count, columns FROM _tables";
constexpr std::size_t max_table_name_bytes = 60;

Table table_of(const sqlite::Statement& row) {
  return {row.string(0), row.string(1), row.integer(2), mcp::parse_json(row.text(3))};
}

// What can be written in SQL without quotes, whatever the file is called.
std::string table_name_of(const std::string& path) {
  std::string name;
  for (const char c : lower_case(std::filesystem::path(path).stem().string()).substr(0, max_table_name_bytes))
    name += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  const bool is_plain = !name.empty() && std::isalpha(static_cast<unsigned char>(name[0])) != 0 &&
                        !name.starts_with("sqlite_") &&
                        sqlite3_keyword_check(name.data(), static_cast<int>(name.size())) == 0;
  return is_plain ? name : "t_" + name;
}

}  // namespace

sqlite::Database TableStore::opened(const std::string& file) {
  const auto open = [&file] {
    sqlite::Database database(file);
    database.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL");
    database.execute(schema);
    return database;
  };
  try {
    return open();
  } catch (const sqlite::Error& error) {
    if (!error.is_damaged()) throw;
    sqlite::remove_database(file);
    return open();
  }
}

TableStore::TableStore(std::string file, const StoreLimits& limits)
    : file_(std::move(file)), limits_(limits), in_use_(FileLock::share(file_ + ".lock")), database_(opened(file_)) {}

std::vector<Table> TableStore::tables() {
  const MutexLock lock(mutex_);
  auto rows = database_.prepare(std::string(columns) + " ORDER BY name");
  std::vector<Table> tables;
  while (rows.step())
    tables.push_back(table_of(rows));
  return tables;
}

std::optional<Table> TableStore::find(const std::string& name) {
  const MutexLock lock(mutex_);
  auto row = database_.prepare(std::string(columns) + " WHERE name = ?");
  row.with(name);
  if (!row.step()) return std::nullopt;
  return table_of(row);
}

std::optional<Table> TableStore::find(const Source& source) {
  const MutexLock lock(mutex_);
  auto row =
      database_.prepare(std::string(columns) + " WHERE path = ? AND size = ? AND modified = ? AND delimiter = ?");
  row.with(source.path, source.size, source.modified_nanoseconds, std::string(1, source.delimiter));
  if (!row.step()) return std::nullopt;
  return table_of(row);
}

bool TableStore::drop(const std::string& name) {
  const auto table = find(name);
  if (!table) return false;
  const MutexLock lock(mutex_);
  sqlite::Transaction transaction(database_);
  database_.execute("DROP TABLE IF EXISTS " + sqlite::quoted_name(table->name));
  database_.run("DELETE FROM _tables WHERE name = ?", table->name);
  transaction.commit();
  return true;
}

std::string TableStore::free_name(const sqlite::Database& database, const std::string& path) const {
  auto row = database.prepare("SELECT name FROM _tables WHERE path = ?");
  row.with(path);
  if (row.step()) return row.string(0);
  if (database.integer("SELECT count(*) FROM _tables") >= limits_.tables) {
    throw StoreFull("There are " + std::to_string(limits_.tables) +
                    " tables, which is the limit. Drop one that is needed no more");
  }
  const auto name = table_name_of(path);
  auto unique = name;
  auto taken = database.prepare("SELECT 1 FROM _tables WHERE name = ?");
  for (int i = 2; taken.with(unique).step(); ++i)
    unique = name + '_' + std::to_string(i);
  return unique;
}

Table TableStore::publish(const sqlite::Database& database, const Source& source, const Survey& survey) const {
  const auto name = free_name(database, source.path);
  const auto quoted = sqlite::quoted_name(name);
  database.execute("DROP TABLE IF EXISTS " + quoted + "; ALTER TABLE _loading RENAME TO " + quoted);
  database.run("INSERT OR REPLACE INTO _tables VALUES(?, ?, ?, ?, ?, ?, ?)", name, source.path, source.size,
               source.modified_nanoseconds, std::string(1, source.delimiter), survey.rows,
               mcp::dump_json(survey.columns));
  return {name, source.path, survey.rows, survey.columns};
}

}  // namespace plugins::data
