// The values of one plugin in one file. The file is a log: its first line says what it is, each further one is a record
// of one put or erase,
//
//     CHECK {"key":"visits","revision":7,"value":"MTI="}
//     CHECK {"key":"visits","revision":8}
//
// where CHECK is the beginning of the SHA-256 of the rest in hexadecimal, the value is in base64, and a record without
// one erases. What the file says is what the records say in their order.
//
// Invariants. An operation has ended well when its record is on the disk (fdatasync). A process that ends at any point
// leaves whole records, and perhaps the beginning of one that nobody has been told to be kept: whoever writes next cuts
// off what is behind the last whole record. Where a whole one follows something else, the file is damaged: it is set
// aside as NAME.damaged-TIME, which is told, and the plugin begins without values. A file that has many more records
// than values is written anew beside itself, synced and put in its place, so that there is a whole one at any time.
//
// Several hosts may use the file at once: whoever reads or writes it holds the lock of NAME%lock (flock). What has been
// read is good as long as the file is the same one, of the same length, and has not been changed since. Any thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <sys/types.h>

#include "base/file_descriptor.hpp"
#include "base/mutex.hpp"
#include "base/result.hpp"
#include "plugin/plugin_store.hpp"
#include "telemetry/log.hpp"

namespace mcph {

class FileStore {
 public:
  // Nothing is opened yet. The log outlives it.
  FileStore(std::filesystem::path file, Log& log);

  // As PluginStore::perform, with the limits of who asks.
  StoreAnswer perform(const StoreOperation& operation, const StoreLimits& limits);

 private:
  struct Entry {
    std::uint64_t revision;
    std::string value;
  };
  // What the file said, up to where it has been read.
  struct Content {
    std::map<std::string, Entry, std::less<>> entries = {};
    std::size_t bytes = 0;  // of all keys and values
    std::uint64_t last_revision = 0;
    // Of the file. The number of one that is gone may be given to the next, so it takes all of them to know it again.
    ::ino_t inode = 0;  // 0: there is none
    ::timespec changed = {};
    std::string first_line = {};
    std::size_t read = 0;  // bytes of it

    void put(const std::string& key, Entry entry);
    void erase(const std::string& key);
  };

  // It cannot be read or written: the operator is told once, until something has been written.
  StoreAnswer not_done(const Error& why) REQUIRES(mutex_);
  StoreAnswer get(const std::string& key) const REQUIRES(mutex_);
  StoreAnswer list(const std::string& prefix) const REQUIRES(mutex_);
  Result<StoreAnswer> change(const StoreOperation& operation, const StoreLimits& limits) REQUIRES(mutex_);
  std::optional<StoreAnswer> why_full(const StoreOperation& operation, const StoreLimits& limits) const
      REQUIRES(mutex_);

  // Another process may hold the lock for a moment; longer it is not waited for.
  Result<FileDescriptor> lock() const;
  bool is_current() const REQUIRES(mutex_);
  // The next four while the lock is held. Takes in what the file has that has not been read, and puts right what of it
  // is no record.
  StoreAnswer perform_locked(const StoreOperation& operation, const StoreLimits& limits) REQUIRES(mutex_);
  Result<> refresh() REQUIRES(mutex_);
  // False: it is damaged.
  bool take(std::string_view records) REQUIRES(mutex_);
  Result<> set_aside() REQUIRES(mutex_);
  Result<> append(const std::string& record) REQUIRES(mutex_);
  // The file as it has been written anew, which is in its place.
  struct Anew {
    std::string first_line;
    std::size_t size = 0;
    struct ::stat status = {};
  };
  Result<> keep(const std::string& record) REQUIRES(mutex_);
  Result<Anew> write_anew() REQUIRES(mutex_);
  Result<> take_anew(Anew anew) REQUIRES(mutex_);
  std::filesystem::path beside(std::string_view ending) const;

  const std::filesystem::path file_;
  Log& log_;
  Mutex mutex_;
  Content content_ GUARDED_BY(mutex_);
  bool told_of_growth_ GUARDED_BY(mutex_) = false;
  bool told_of_failure_ GUARDED_BY(mutex_) = false;
};

}  // namespace mcph
