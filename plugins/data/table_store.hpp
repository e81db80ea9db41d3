// TableStore: the tables that have been loaded, in a file of SQLite, with what is known of them. Several processes may
// use one file at once. Any thread may call it. Throws sqlite::Error.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <mcp/plugin.hpp>

#include "data/csv_survey.hpp"
#include "shared/file_lock.hpp"
#include "shared/mutex.hpp"
#include "shared/sqlite.hpp"

namespace plugins::data {

// A file as it was when it was read.
struct Source {
  std::string path;  // below the folder
  std::int64_t size = 0;
  std::int64_t modified_nanoseconds = 0;
  char delimiter = ',';
};

struct Table {
  std::string name;
  std::string file;
  std::int64_t rows = 0;
  mcp::Json columns;
};

struct StoreLimits {
  std::int64_t tables = 0;
  std::int64_t bytes = 0;
};

class TableStore {
 public:
  // FILE.lock, which is shared, says that it is in use. Makes the file if it is not there, and anew if it is damaged,
  // because all that is in it can be loaded again.
  TableStore(std::string file, const StoreLimits& limits);

  const std::string& file() const { return file_; }

  std::vector<Table> tables();
  std::optional<Table> find(const std::string& name);
  // The table of a file that has not changed since.
  std::optional<Table> find(const Source& source);
  bool drop(const std::string& name);

  // The rows of a file as its table, in place of the one that it had before. What reads tables meanwhile sees that, and
  // after a failure, too. `wait` is called while another file is being loaded, and by what it throws may give up.
  Table load(const Descriptor& file, const Source& source, const Survey& survey, const BytesRead& bytes_read,
             const std::function<void()>& wait);

 private:
  static sqlite::Database opened(const std::string& file);
  std::string free_name(const sqlite::Database& database, const std::string& path) const;
  Table publish(const sqlite::Database& database, const Source& source, const Survey& survey) const;

  const std::string file_;
  const StoreLimits limits_;
  const FileLock in_use_;
  Mutex mutex_;
  const sqlite::Database database_ GUARDED_BY(mutex_);
};

// Why a file cannot be loaded: for the model to read.
class StoreFull : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace plugins::data
