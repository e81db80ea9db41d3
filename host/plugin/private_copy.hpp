// Private copies of plugin libraries. A library is never mapped from the folder in which people drop and overwrite it:
// each version is copied to a file of its own, under a name that no other version ever has, and that copy is mapped.
// PrivateFolder holds the copies of one host process; it is made once, used by the control thread, and outlives the
// mapped libraries. PrivateCopy owns one file in it, and is owned by whoever maps the file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "plugin/file_descriptor.hpp"
#include "plugin/file_identity.hpp"
#include "result.hpp"

namespace mcph {

class PrivateCopy {
 public:
  PrivateCopy(PrivateCopy&& other) noexcept;
  PrivateCopy& operator=(PrivateCopy&& other) noexcept;
  // Deletes the file. What is mapped from it stays mapped.
  ~PrivateCopy();

  const std::filesystem::path& path() const { return path_; }

  // FNV-1a of the bytes, 64 bits, in hex: tells an accidental difference, and is not cryptographic.
  const std::string& digest() const { return digest_; }

  // Of the file that was copied, when it was copied.
  const FileIdentity& source_identity() const { return source_identity_; }

 private:
  friend class PrivateFolder;
  explicit PrivateCopy(std::filesystem::path path) : path_(std::move(path)) {}

  std::filesystem::path path_;  // empty once moved from
  std::string digest_;
  FileIdentity source_identity_;
};

class PrivateFolder {
 public:
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

  // Where copies are made now.
  const std::filesystem::path& path() const { return path_; }

 private:
  PrivateFolder(std::filesystem::path path, FileDescriptor lock) : path_(std::move(path)), lock_(std::move(lock)) {}

  static Result<PrivateFolder> create_in(const std::filesystem::path& parent);
  Result<> make_again();

  std::filesystem::path path_;
  FileDescriptor lock_;  // held as long as this process lives, which shows others that the folder is in use
  std::uint64_t generation_ = 0;
};

}  // namespace mcph
