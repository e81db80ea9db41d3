#include "shared/sqlite.hpp"

#include <fcntl.h>
#include <unistd.h>

#include "shared/descriptor.hpp"

namespace plugins::sqlite {
namespace {

constexpr int busy_milliseconds = 10'000;

[[noreturn]] void fail(sqlite3* connection, int code) {
  throw Error(code, connection != nullptr ? sqlite3_errmsg(connection) : sqlite3_errstr(code));
}

}  // namespace

bool Error::is_damaged() const {
  const int primary = code_ & 0xFF;
  return primary == SQLITE_CORRUPT || primary == SQLITE_NOTADB;
}

bool Error::is_full() const {
  return (code_ & 0xFF) == SQLITE_FULL;
}

bool Error::is_out_of_memory() const {
  return (code_ & 0xFF) == SQLITE_NOMEM;
}

bool Error::is_interrupted() const {
  return (code_ & 0xFF) == SQLITE_INTERRUPT;
}

Statement::Statement(sqlite3* connection, std::string_view sql) {
  sqlite3_stmt* statement = nullptr;
  const int code = sqlite3_prepare_v3(connection, sql.data(), static_cast<int>(sql.size()), SQLITE_PREPARE_PERSISTENT,
                                      &statement, nullptr);
  statement_.reset(statement);
  if (code != SQLITE_OK) fail(connection, code);
}

void Statement::bind(int index, std::int64_t value) {
  check(sqlite3_bind_int64(statement_.get(), index, value));
}

void Statement::bind(int index, double value) {
  check(sqlite3_bind_double(statement_.get(), index, value));
}

void Statement::bind(int index, std::string_view value) {
  // A null pointer would be NULL, and no empty text.
  const char* const data = value.data() != nullptr ? value.data() : "";
  check(sqlite3_bind_text64(statement_.get(), index, data, value.size(), SQLITE_TRANSIENT, SQLITE_UTF8));
}

void Statement::bind(int index, std::nullptr_t) {
  check(sqlite3_bind_null(statement_.get(), index));
}

void Statement::bind_view(int index, std::string_view value) {
  const char* const data = value.data() != nullptr ? value.data() : "";
  check(sqlite3_bind_text64(statement_.get(), index, data, value.size(), SQLITE_STATIC, SQLITE_UTF8));
}

bool Statement::step() {
  const int code = sqlite3_step(statement_.get());
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  const Error error(code, sqlite3_errmsg(sqlite3_db_handle(statement_.get())));
  reset();
  throw error;
}

void Statement::run() {
  while (step()) {
  }
  reset();
}

void Statement::reset() {
  // What it returns is the failure of the last step, which has been told.
  sqlite3_reset(statement_.get());
}

std::string_view Statement::text(int column) const {
  const auto* const data = static_cast<const char*>(sqlite3_column_blob(statement_.get(), column));
  const int size = sqlite3_column_bytes(statement_.get(), column);
  return data != nullptr ? std::string_view(data, static_cast<std::size_t>(size)) : std::string_view();
}

std::string Statement::column_name(int column) const {
  const char* const name = sqlite3_column_name(statement_.get(), column);
  return name != nullptr ? name : "";
}

void Statement::check(int code) const {
  if (code != SQLITE_OK) fail(sqlite3_db_handle(statement_.get()), code);
}

Database::Database(const std::string& path, Access access, const char* vfs) {
  // For nobody else's eyes; the files beside it get the same permissions. Only if it is not there: to close a
  // descriptor of a database gives up the locks of its connections.
  if (access == Access::read_write) {
    const Descriptor made(::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  }
  sqlite3* connection = nullptr;
  const int flags = (access == Access::read_only ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE) |
                    SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
  const int code = sqlite3_open_v2(path.c_str(), &connection, flags, vfs);
  connection_.reset(connection);
  if (code != SQLITE_OK) {
    throw Error(code, path + " cannot be opened: " +
                          (connection != nullptr ? sqlite3_errmsg(connection) : sqlite3_errstr(code)));
  }
  sqlite3_busy_timeout(connection, busy_milliseconds);
}

void Database::execute(const std::string& sql) const {
  const int code = sqlite3_exec(connection_.get(), sql.c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) fail(connection_.get(), code);
}

std::int64_t Database::integer(std::string_view sql) const {
  auto statement = prepare(sql);
  return statement.step() ? statement.integer(0) : 0;
}

Transaction::Transaction(const Database& database) : database_(database) {
  database_.execute("BEGIN IMMEDIATE");
}

Transaction::~Transaction() {
  // Some failures have rolled it back already.
  if (is_open_) sqlite3_exec(database_.handle(), "ROLLBACK", nullptr, nullptr, nullptr);
}

void Transaction::commit() {
  database_.execute("COMMIT");
  is_open_ = false;
}

void remove_database(const std::string& path) {
  for (const char* const end : {"", "-wal", "-shm", "-journal"})
    ::unlink((path + end).c_str());
}

std::string quoted_name(std::string_view name) {
  std::string quoted = "\"";
  for (const char c : name) {
    quoted += c;
    if (c == '"') quoted += c;
  }
  return quoted + '"';
}

}  // namespace plugins::sqlite
