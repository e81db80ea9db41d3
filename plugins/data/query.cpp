#include "data/query.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string_view>

#include "data/csv_reader.hpp"
#include "data/functions.hpp"
#include "data/temporary_files.hpp"
#include "shared/sqlite.hpp"

namespace plugins::data {
namespace {

using Clock = std::chrono::steady_clock;

// A look takes as long as a few of them. Some may each be a function of a value of max_value_bytes, which takes up to a
// tenth of a second.
constexpr int steps_between_looks = 100;
// No value that is made on the way is longer. The functions of SQLite are asked nothing while they run, so it bounds
// their time, too; those that take the product of two lengths are replaced (functions.hpp).
constexpr int max_value_bytes = 4'194'304;

// Reading, and functions that only compute. sqlite_schema says which tables there are.
int authorize(void*, int action, const char* first, const char* second, const char*, const char*) {
  const std::string_view name = first != nullptr ? first : "";
  switch (action) {
    case SQLITE_SELECT:
    case SQLITE_RECURSIVE:
      return SQLITE_OK;
    case SQLITE_READ:
      // The names of our own tables begin so. An empty one is of a subquery.
      return name.starts_with('_') ? SQLITE_DENY : SQLITE_OK;
    case SQLITE_FUNCTION: {
      const std::string_view function = second != nullptr ? second : "";
      // The patch takes the product of two numbers of members.
      const bool is_refused = function == "load_extension" || function.starts_with("fts") || function == "json_patch" ||
                              function == "jsonb_patch";
      return is_refused ? SQLITE_DENY : SQLITE_OK;
    }
    default:
      return SQLITE_DENY;
  }
}

// SQLite makes these tables when they are first named, which the authorizer would take for a change of the schema. A
// SQLite without JSON has none, and says so to who asks for them.
void make_json_tables(sqlite3* connection) {
  sqlite3_exec(connection, "SELECT 1 FROM json_each, json_tree LIMIT 0", nullptr, nullptr, nullptr);
}

struct Watch {
  Clock::time_point end;
  const std::function<bool()>& is_cancelled;
  bool is_late = false;
};

bool is_over(Watch& watch) {
  watch.is_late = Clock::now() >= watch.end;
  return watch.is_late || watch.is_cancelled();
}

int look(void* given) {
  return is_over(*static_cast<Watch*>(given)) ? 1 : 0;
}

void restrict(sqlite3* connection, Watch& watch) {
  sqlite3_db_config(connection, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(connection, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(connection, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, nullptr);
  // What is in double quotes is a name, and never a text because no column has that name.
  sqlite3_db_config(connection, SQLITE_DBCONFIG_DQS_DML, 0, nullptr);
  sqlite3_limit(connection, SQLITE_LIMIT_LENGTH, max_value_bytes);
  // Each column of a row is a copy. A result has no more of them than a table can have.
  sqlite3_limit(connection, SQLITE_LIMIT_COLUMN, static_cast<int>(CsvReader::max_fields));
  sqlite3_limit(connection, SQLITE_LIMIT_ATTACHED, 0);
  sqlite3_limit(connection, SQLITE_LIMIT_EXPR_DEPTH, 200);
  sqlite3_limit(connection, SQLITE_LIMIT_COMPOUND_SELECT, 50);
  sqlite3_limit(connection, SQLITE_LIMIT_WORKER_THREADS, 0);
  sqlite3_set_authorizer(connection, authorize, nullptr);
  sqlite3_progress_handler(connection, steps_between_looks, look, &watch);
}

// One statement that returns rows. Behind it there may be spaces, semicolons and comments.
sqlite::Statement prepared(const sqlite::Database& database, const std::string& sql) {
  if (sql.find('\0') != std::string::npos) throw QueryError("SQL has no NUL characters");
  sqlite3_stmt* first = nullptr;
  const char* rest = nullptr;
  const int code = sqlite3_prepare_v2(database.handle(), sql.c_str(), -1, &first, &rest);
  sqlite3_finalize(first);
  if (code != SQLITE_OK) throw sqlite::Error(code, sqlite3_errmsg(database.handle()));
  if (first == nullptr) throw QueryError("There is no SQL statement");
  sqlite3_stmt* second = nullptr;
  const int second_code = sqlite3_prepare_v2(database.handle(), rest, -1, &second, nullptr);
  sqlite3_finalize(second);
  if (second_code != SQLITE_OK || second != nullptr) throw QueryError("Only one statement can be run at a time");
  auto statement = database.prepare(sql);
  if (statement.column_count() == 0 || sqlite3_stmt_readonly(statement.handle()) == 0) {
    throw QueryError("Only a SELECT can be run");
  }
  return statement;
}

// What each takes, NULL and the empty text, too.
constexpr std::int64_t bytes_of_value = 8;

mcp::Json value_of(const sqlite::Statement& row, int column, std::int64_t& bytes) {
  bytes += bytes_of_value;
  switch (row.type(column)) {
    case SQLITE_INTEGER:
      return row.integer(column);
    case SQLITE_FLOAT:
      if (!std::isfinite(row.real(column))) return nullptr;
      return row.real(column);
    case SQLITE_TEXT:
      bytes += static_cast<std::int64_t>(row.text(column).size());
      return row.string(column);
    case SQLITE_BLOB: {
      auto words = "(" + std::to_string(row.text(column).size()) + " bytes)";
      bytes += static_cast<std::int64_t>(words.size());
      return words;
    }
    default:
      return nullptr;
  }
}

QueryResult result_of(sqlite::Statement& statement, const QueryLimits& limits) {
  QueryResult result;
  for (int i = 0; i < statement.column_count(); ++i)
    result.columns.push_back(statement.column_name(i));
  std::int64_t bytes = 0;
  while (statement.step()) {
    auto row = mcp::Json::array();
    for (int i = 0; i < statement.column_count() && bytes <= limits.bytes; ++i)
      row.push_back(value_of(statement, i, bytes));
    result.is_truncated = static_cast<int>(result.rows.size()) == limits.rows || bytes > limits.bytes;
    if (result.is_truncated) break;
    result.rows.push_back(std::move(row));
  }
  return result;
}

std::string words_of(const sqlite::Error& error, const Watch& watch, const QueryLimits& limits,
                     const TemporaryFiles& temporary_files) {
  if (error.is_interrupted()) {
    return watch.is_late ? "The query took longer than " +
                               std::to_string(std::chrono::ceil<std::chrono::seconds>(limits.time).count()) +
                               " s. Ask for less, for example with WHERE"
                         : "The query was cancelled";
  }
  if (error.is_full()) {
    return "To sort or group its rows the query needs more temporary files than there is room for: those of all "
           "queries "
           "together may take " +
           std::to_string(temporary_files.max_bytes()) +
           " bytes (maxTemporaryBytes), as far as the disk has them. Ask for less, for example with WHERE";
  }
  if (error.is_out_of_memory()) {
    return "The query needs more memory than there is for all queries together, which is " +
           std::to_string(sqlite3_hard_heap_limit64(-1)) +
           " bytes (maxMemoryBytes). Select fewer columns, or shorter values, for example with substr";
  }
  const std::string what = error.what();
  if (what == "not authorized" || what.find("prohibited") != std::string::npos) {
    return "Only a SELECT over the tables that have been loaded can be run (" + what + ")";
  }
  return "SQL: " + what;
}

}  // namespace

QueryResult run_query(const std::string& file, const std::string& sql, const QueryLimits& limits,
                      TemporaryFiles& temporary_files, const std::function<bool()>& is_cancelled) {
  Watch watch{Clock::now() + limits.time, is_cancelled};
  const std::function<bool()> is_to_end = [&watch] { return is_over(watch); };
  try {
    const sqlite::Database database(file, sqlite::Database::Access::read_only, temporary_files.vfs_name());
    database.execute("PRAGMA cache_size = -8192");
    replace_slow_functions(database.handle(), is_to_end);
    make_json_tables(database.handle());
    restrict(database.handle(), watch);
    auto statement = prepared(database, sql);
    return result_of(statement, limits);
  } catch (const sqlite::Error& error) {
    throw QueryError(words_of(error, watch, limits, temporary_files));
  }
}

}  // namespace plugins::data
