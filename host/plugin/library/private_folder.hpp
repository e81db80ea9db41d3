// The folder that holds the private copies of one host process. Made once; any thread, and several copies at once;
// outlives what is mapped from it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "base/file_descriptor.hpp"
#include "base/mutex.hpp"
#include "base/result.hpp"
#include "plugin/library/private_copy.hpp"

namespace mcph {

class PrivateFolder {
 public:
  // With which its name begins.
  static constexpr std::string_view prefix = "mcp-plugin-host-";

  // Makes the folder mcp-plugin-host-PID-RANDOM in the first of these that allows it, and removes what dead hosts of
  // the same user left there. A parent is passed over if it cannot be written or its files cannot be mapped as code.
  static Result<PrivateFolder> create(const std::vector<std::filesystem::path>& parents = default_parents());

  // The folder for temporary files, $XDG_RUNTIME_DIR, /var/tmp, and .cache in the current directory.
  static std::vector<std::filesystem::path> default_parents();

  PrivateFolder(PrivateFolder&&) noexcept = default;  // the one moved from no longer holds the lock
  PrivateFolder& operator=(PrivateFolder&&) = delete;
  // Removes the folder with all that is in it.
  ~PrivateFolder();

  // An error says why, and whether it will pass; it does not name the file, because the caller knows the name that
  // people gave it. A file that changes while it is read is refused: half of it may be the old version. Where the
  // folder has been removed, as those who tidy up temporary files may, another one is made beside it.
  Result<PrivateCopy> copy(const std::filesystem::path& file);
  // Of what has been opened already, under the name of the file.
  Result<PrivateCopy> copy(const std::filesystem::path& file, const FileDescriptor& source);

  // Whether a file may be used, asked of each when it has been opened.
  using Check = std::function<Result<>(const std::filesystem::path& file, const FileDescriptor& opened)>;
  // Of a bundle, with all that belongs to it; links have become files. One in which anything changes meanwhile is
  // refused.
  Result<PrivateCopy> copy_bundle(const std::filesystem::path& folder, const Check& check);

  // Where copies are made now.
  std::filesystem::path path() const;

 private:
  PrivateFolder(std::filesystem::path path, FileDescriptor directory, FileDescriptor lock)
      : path_(std::move(path)), directory_(std::move(directory)), lock_(std::move(lock)) {}

  // Not looked at, because nobody else has the new folder yet.
  static Result<PrivateFolder> create_in(const std::filesystem::path& parent) NO_THREAD_SAFETY_ANALYSIS;
  Result<> make_again() REQUIRES(*mutex_) NO_THREAD_SAFETY_ANALYSIS;

  struct Target {
    FileDescriptor file;
    std::filesystem::path stem;
  };
  Result<Target> make_target(const std::filesystem::path& file);
  // An empty folder.
  Result<PrivateCopy> make_target_folder(const std::filesystem::path& bundle);

  std::unique_ptr<Mutex> mutex_ = std::make_unique<Mutex>();  // what follows changes when it is made again
  std::filesystem::path path_ GUARDED_BY(*mutex_);
  // Locked as long as this process lives: those who tidy up temporary files leave what is in such a folder
  // (tmpfiles.d(5), "Age").
  FileDescriptor directory_ GUARDED_BY(*mutex_);
  // Likewise, which shows other hosts that the folder is in use.
  FileDescriptor lock_ GUARDED_BY(*mutex_);
  std::uint64_t generation_ GUARDED_BY(*mutex_) = 0;
};

}  // namespace mcph
