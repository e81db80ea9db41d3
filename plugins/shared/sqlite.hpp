// What the plugins use of SQLite: a connection, statements and transactions that end with their scope. A failure is an
// exception, sqlite::Error. A connection and its statements are used by one thread at a time; several connections, of
// several processes too, may use one file at once, and wait for each other.
#pragma once

#include <cstdint>
#include <memory>
#include <sqlite3.h>
#include <stdexcept>
#include <string>
#include <string_view>

namespace plugins::sqlite {

class Error : public std::runtime_error {
 public:
  // `code` is an extended result code.
  Error(int code, const std::string& what) : std::runtime_error(what), code_(code) {}

  bool is_damaged() const;        // what the file holds is no database, or a broken one
  bool is_full() const;           // the file may not grow further, or the disk is full
  bool is_out_of_memory() const;  // of the process, or of what SQLite may take
  bool is_interrupted() const;    // by a progress handler

 private:
  int code_;
};

// A prepared statement. Its parameters are bound in their order, counted from 1; columns are counted from 0.
class Statement {
 public:
  // `sql` is one statement, in UTF-8. What follows it is ignored.
  Statement(sqlite3* connection, std::string_view sql);

  // Begins anew with these parameters. Texts are copied.
  template <class... Values>
  Statement& with(const Values&... values) {
    reset();
    int index = 0;
    (bind(++index, values), ...);
    return *this;
  }
  void bind(int index, std::int64_t value);
  void bind(int index, int value) { bind(index, std::int64_t{value}); }
  void bind(int index, double value);
  void bind(int index, std::string_view value);
  void bind(int index, const std::string& value) { bind(index, std::string_view(value)); }
  void bind(int index, const char* value) { bind(index, std::string_view(value)); }
  void bind(int index, std::nullptr_t value);
  // The same without a copy: the text is there until the next bind or reset.
  void bind_view(int index, std::string_view value);

  // True if there is a row, whose columns the functions below read until the next step or reset.
  bool step();
  // Steps to the end and begins anew.
  void run();
  void reset();

  std::int64_t integer(int column) const { return sqlite3_column_int64(statement_.get(), column); }
  double real(int column) const { return sqlite3_column_double(statement_.get(), column); }
  // Of a text or a blob; valid until the next step or reset.
  std::string_view text(int column) const;
  std::string string(int column) const { return std::string(text(column)); }
  int type(int column) const { return sqlite3_column_type(statement_.get(), column); }
  int column_count() const { return sqlite3_column_count(statement_.get()); }
  std::string column_name(int column) const;

  sqlite3_stmt* handle() const { return statement_.get(); }

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
  };
  void check(int code) const;

  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

class Database {
 public:
  enum class Access { read_write, read_only };

  // Makes the file if it may be written and is not there. `vfs` is one that SQLite knows by this name; nullptr: its
  // own.
  explicit Database(const std::string& path, Access access = Access::read_write, const char* vfs = nullptr);

  Statement prepare(std::string_view sql) const { return {connection_.get(), sql}; }
  // One statement or several, without parameters.
  void execute(const std::string& sql) const;
  template <class... Values>
  void run(std::string_view sql, const Values&... values) const {
    prepare(sql).with(values...).run();
  }
  // The one value of the one row.
  std::int64_t integer(std::string_view sql) const;
  std::int64_t last_id() const { return sqlite3_last_insert_rowid(connection_.get()); }
  int changed_rows() const { return sqlite3_changes(connection_.get()); }

  sqlite3* handle() const { return connection_.get(); }

 private:
  struct Close {
    void operator()(sqlite3* connection) const { sqlite3_close_v2(connection); }
  };
  std::unique_ptr<sqlite3, Close> connection_;
};

// Writes all or nothing: what is not committed is undone. Waits at its beginning until nobody else writes.
class Transaction {
 public:
  explicit Transaction(const Database& database);
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  ~Transaction();

  void commit();

 private:
  const Database& database_;
  bool is_open_ = true;
};

// Removes a database with the files that lie beside it.
void remove_database(const std::string& path);

// A name in double quotes, whatever it contains but NUL.
std::string quoted_name(std::string_view name);

}  // namespace plugins::sqlite
