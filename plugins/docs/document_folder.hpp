// DocumentFolder: the Markdown files below a folder. An immutable value; any number of threads may use one.
#pragma once

#include <cstdint>
#include <ctime>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "shared/rooted_directory.hpp"

namespace plugins::docs {

struct Document {
  std::uint64_t size = 0;
  std::int64_t modified_nanoseconds = 0;  // since 1970
  std::string title;
  std::string description;

  // The same file, as far as can be told without reading it.
  bool is_unchanged(const Document& other) const {
    return size == other.size && modified_nanoseconds == other.modified_nanoseconds;
  }
};

// By path in the folder: "guide/install.md".
using Documents = std::map<std::string, Document, std::less<>>;

// A file that is not listed, as long as it does not change.
struct UnlistedFile {
  std::uint64_t size = 0;
  std::int64_t changed_nanoseconds = 0;  // its permissions, too
  std::string reason;                    // "is not UTF-8 text"

  bool is_unchanged(std::uint64_t size_now, std::int64_t changed_now) const {
    return size == size_now && changed_nanoseconds == changed_now;
  }
};

struct FolderScan {
  Documents documents;
  std::map<std::string, UnlistedFile, std::less<>> unlisted;  // by path in the folder
  bool is_complete = true;                                    // false: there are more than are looked for
};

class DocumentFolder {
 public:
  static constexpr std::uint64_t max_document_size = 10485760;
  static constexpr std::size_t max_documents = 1000;
  static constexpr int max_depth = 16;

  explicit DocumentFolder(std::string path) : directory_(std::move(path)) {}

  const std::string& path() const { return directory_.path(); }
  std::optional<FileError> why_unreadable() const { return directory_.why_unreadable(); }

  // What is there now; documents that are too large or cannot be read are not listed. Reads those only that `before`
  // does not have unchanged. Empty if the folder is not there; as before where it cannot be opened for another reason,
  // or something in it cannot be looked at for one of the moment, as in a file system of the network.
  FolderScan scan(const FolderScan& before) const;

  // The content of one document. Nothing if there is none with this path. Throws FileError.
  std::optional<std::string> read(std::string_view path) const;

 private:
  std::string text(const RelativePath& path) const;
  Document document(const WalkedEntry& entry, const Documents& known) const;

  RootedDirectory directory_;
};

}  // namespace plugins::docs
