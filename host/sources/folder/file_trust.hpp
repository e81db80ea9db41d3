// Which files in the components folder are loaded: what lies there runs with the host's rights, so whoever can write
// there can do what the host can. A file must lie in the folder, reached by links or not; it and every folder from the
// components folder to it, or, where links may lead out, from the root to it, must belong to the host's user or to
// root, and not everybody may be able to write to them. A group may, because many users have one of their own: who
// shares a group shares the host's rights. Asked of a file that has been opened, so that what is asked is what is read.
// A value; any thread. Access control lists beyond the mode are not looked at.
#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <string>

#include "base/file_descriptor.hpp"
#include "base/result.hpp"

namespace mcph {

class FileTrust {
 public:
  struct Options {
    bool outside_links = false;       // links may lead out of the folder
    bool writable_by_others = false;  // others may own files and folders, and everybody may write to them
    // SHA-256, in lower-case hexadecimal, of the libraries that may be loaded; nothing: all may. An empty set permits
    // none.
    std::optional<std::set<std::string>> digests = {};
  };

  FileTrust(const std::filesystem::path& components, Options options);

  // Why not, and what to do; does not name the file. A file that does not lie in the components folder by its name, and
  // has been named by a person instead, may lie anywhere.
  Result<> check(const std::filesystem::path& file, const FileDescriptor& opened) const;
  Result<> check_digest(const std::string& digest) const;

 private:
  const std::filesystem::path components_;
  const Options options_;
};

// The digests in a file like those that sha256sum writes: one a line, followed by anything. Lines that are empty or
// begin with # are passed over. An error names the file and the line.
Result<std::set<std::string>> read_digests(const std::filesystem::path& file);

}  // namespace mcph
