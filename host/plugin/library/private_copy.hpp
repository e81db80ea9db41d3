// A private copy of a plugin's library. A library is never mapped from the folder in which people drop and overwrite
// it: each version is copied to a file of its own (private_folder.hpp), under a name that no other version ever has,
// and that copy is mapped. Of a bundle (bundle.hpp) that is a folder, with all that it holds. Owns the file, or the
// folder; owned by whoever maps it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/file_identity.hpp"

namespace mcph {

class PrivateCopy {
 public:
  PrivateCopy(PrivateCopy&& other) noexcept;
  PrivateCopy& operator=(PrivateCopy&& other) noexcept;
  // Deletes the file, or the folder. What is mapped from it stays mapped.
  ~PrivateCopy();

  // The library.
  const std::filesystem::path& path() const { return path_; }
  // The folder of a bundle; empty of a single file.
  const std::filesystem::path& bundle() const { return bundle_; }

  // SHA-256, in hex: of the bytes; or of a bundle, of what sha256sum writes for its files in the order of their names.
  const std::string& digest() const { return digest_; }

  // Of the file, or the bundle, that was copied, when it was copied.
  const FileIdentity& source_identity() const { return source_identity_; }

  // Of a bundle: no other of this process has the same.
  std::uint64_t generation() const { return generation_; }

  // On a bundle, what its author should know.
  const std::vector<std::string>& remarks() const { return remarks_; }

 private:
  friend class PrivateFolder;
  explicit PrivateCopy(std::filesystem::path path, std::filesystem::path bundle = {})
      : path_(std::move(path)), bundle_(std::move(bundle)) {}

  std::filesystem::path path_;  // this and the next are empty once moved from
  std::filesystem::path bundle_;
  std::string digest_;
  FileIdentity source_identity_;
  std::uint64_t generation_ = 0;
  std::vector<std::string> remarks_;
};

}  // namespace mcph
