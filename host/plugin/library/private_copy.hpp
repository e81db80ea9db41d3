// A private copy of a plugin's library. A library is never mapped from the folder in which people drop and overwrite
// it: each version is copied to a file of its own (private_folder.hpp), under a name that no other version ever has,
// and that copy is mapped. Owns the file; owned by whoever maps it.
#pragma once

#include <filesystem>
#include <string>

#include "base/file_identity.hpp"

namespace mcph {

class PrivateCopy {
 public:
  PrivateCopy(PrivateCopy&& other) noexcept;
  PrivateCopy& operator=(PrivateCopy&& other) noexcept;
  // Deletes the file. What is mapped from it stays mapped.
  ~PrivateCopy();

  const std::filesystem::path& path() const { return path_; }

  // SHA-256 of the bytes, in hex.
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

}  // namespace mcph
