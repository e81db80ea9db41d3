#include "data/temporary_files.hpp"

#include <algorithm>
#include <cstddef>
#include <new>
#include <stdexcept>

namespace plugins::data {

// In front of the system's file, in memory that SQLite has made for both. Version 1 of the methods: nothing is mapped
// to memory past the count.
class TemporaryFiles::File : public sqlite3_file {
 public:
  explicit File(TemporaryFiles& owner) : sqlite3_file{nullptr}, owner_(owner) {}

  sqlite3_file* system() { return reinterpret_cast<sqlite3_file*>(reinterpret_cast<std::byte*>(this) + sizeof(File)); }

  static const sqlite3_io_methods& methods() {
    static const sqlite3_io_methods table = [] {
      sqlite3_io_methods made{};
      made.iVersion = 1;
      made.xClose = close;
      made.xRead = [](sqlite3_file* file, void* to, int size, sqlite3_int64 at) {
        auto* const under = of(file).system();
        return under->pMethods->xRead(under, to, size, at);
      };
      made.xWrite = write;
      made.xTruncate = truncate;
      made.xSync = [](sqlite3_file* file, int flags) {
        auto* const under = of(file).system();
        return under->pMethods->xSync(under, flags);
      };
      made.xFileSize = [](sqlite3_file* file, sqlite3_int64* size) {
        auto* const under = of(file).system();
        return under->pMethods->xFileSize(under, size);
      };
      // Nobody else has it.
      made.xLock = [](sqlite3_file*, int) { return SQLITE_OK; };
      made.xUnlock = [](sqlite3_file*, int) { return SQLITE_OK; };
      made.xCheckReservedLock = [](sqlite3_file*, int* is_locked) {
        *is_locked = 0;
        return SQLITE_OK;
      };
      // Among what could be asked is to make room in advance.
      made.xFileControl = [](sqlite3_file*, int, void*) { return SQLITE_NOTFOUND; };
      made.xSectorSize = [](sqlite3_file* file) {
        auto* const under = of(file).system();
        return under->pMethods->xSectorSize(under);
      };
      made.xDeviceCharacteristics = [](sqlite3_file* file) {
        auto* const under = of(file).system();
        return under->pMethods->xDeviceCharacteristics(under);
      };
      return made;
    }();
    return table;
  }

 private:
  static File& of(sqlite3_file* file) { return *static_cast<File*>(file); }

  static int close(sqlite3_file* file) {
    auto& self = of(file);
    const int code = self.system()->pMethods->xClose(self.system());
    self.owner_.give_back(self.size_);
    self.~File();
    return code;
  }

  static int write(sqlite3_file* file, const void* from, int size, sqlite3_int64 at) {
    auto& self = of(file);
    const auto growth = std::max<std::int64_t>(at + size - self.size_, 0);
    if (!self.owner_.take(growth)) return SQLITE_FULL;
    self.size_ += growth;
    return self.system()->pMethods->xWrite(self.system(), from, size, at);
  }

  static int truncate(sqlite3_file* file, sqlite3_int64 size) {
    auto& self = of(file);
    const int code = self.system()->pMethods->xTruncate(self.system(), size);
    if (code != SQLITE_OK || size >= self.size_) return code;
    self.owner_.give_back(self.size_ - size);
    self.size_ = size;
    return code;
  }

  TemporaryFiles& owner_;
  std::int64_t size_ = 0;
};

// The name has the address in it, because SQLite knows VFSs by their names, those of another version of the plugin in
// the same process, too.
TemporaryFiles::TemporaryFiles(std::int64_t max_bytes)
    : max_bytes_(max_bytes),
      system_(sqlite3_vfs_find(nullptr)),
      name_("mcp-data-" + std::to_string(reinterpret_cast<std::uintptr_t>(this))),
      vfs_{} {
  if (system_ == nullptr) throw std::runtime_error("SQLite has no VFS");
  static_cast<sqlite3_vfs&>(vfs_) = *system_;
  vfs_.owner = this;
  vfs_.pNext = nullptr;
  vfs_.zName = name_.c_str();
  vfs_.szOsFile = static_cast<int>(sizeof(File)) + system_->szOsFile;
  vfs_.xOpen = open;
  if (sqlite3_vfs_register(&vfs_, 0) != SQLITE_OK) throw std::runtime_error("SQLite takes no further VFS");
}

TemporaryFiles::~TemporaryFiles() {
  sqlite3_vfs_unregister(&vfs_);
}

int TemporaryFiles::open(sqlite3_vfs* vfs, const char* name, sqlite3_file* file, int flags, int* out_flags) {
  auto& owner = *static_cast<Vfs*>(vfs)->owner;
  if (name != nullptr) return owner.system_->xOpen(owner.system_, name, file, flags, out_flags);
  auto* const counted = new (file) File(owner);
  auto* const under = counted->system();
  under->pMethods = nullptr;
  const int code = owner.system_->xOpen(owner.system_, nullptr, under, flags, out_flags);
  // With methods it would be closed.
  if (code == SQLITE_OK) counted->pMethods = &File::methods();
  return code;
}

bool TemporaryFiles::take(std::int64_t bytes) {
  if (bytes_.fetch_add(bytes) + bytes <= max_bytes_) return true;
  bytes_ -= bytes;
  return false;
}

}  // namespace plugins::data
