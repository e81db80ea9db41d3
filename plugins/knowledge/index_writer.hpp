// IndexWriter: what is known of the documents of a folder, in a file of SQLite. Used by one thread at a time, of
// whoever holds the FileLock; IndexReaders read meanwhile. Throws sqlite::Error.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "shared/sqlite.hpp"

namespace plugins::knowledge {

// By which a file is known to be unchanged.
struct FileState {
  std::int64_t size = 0;
  std::int64_t modified_nanoseconds = 0;  // since 1970
  // Its permissions, too. 0 for what has been read, where that makes no difference.
  std::int64_t changed_nanoseconds = 0;

  bool operator==(const FileState&) const = default;
};

// By path in the folder.
using Files = std::map<std::string, FileState, std::less<>>;

class IndexWriter {
 public:
  // An index of another folder, of another format, or one that is damaged is made anew.
  static IndexWriter open(const std::string& file, const std::string& folder);

  // When they differ from those of before, what could not be read is known no more, and so is tried again.
  void set_limits(std::uint64_t max_file_bytes, std::chrono::milliseconds pdf_time);

  // What is known of a path and what lies below it, "." for all of them.
  Files known(const std::string& path);
  // Of all files that are known, also those that cannot be read.
  std::size_t count_files() const { return files_; }
  std::int64_t count_documents() { return database_.integer("SELECT count(*) FROM documents WHERE problem IS NULL"); }

  // Inside a transaction.
  const sqlite::Database& database() const { return database_; }
  void put(const std::string& path, const FileState& state, std::string_view title, std::string_view text);
  // Cannot be read, and is looked at again only when it, its permissions or the limits change.
  void put_problem(const std::string& path, const FileState& state, const std::string& problem);
  void remove(const std::string& path);

 private:
  IndexWriter(const std::string& file, const std::string& folder);

  sqlite::Database database_;
  sqlite::Statement insert_document_;
  sqlite::Statement insert_text_;
  sqlite::Statement remove_document_;
  sqlite::Statement remove_text_;
  std::size_t files_;
};

}  // namespace plugins::knowledge
