// DocumentLibrary: keeps the resources of the plugin the same as the documents in the folder. refresh is called by one
// thread at a time; read by any.
#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "docs/document_folder.hpp"
#include "shared/mutex.hpp"

namespace mcp {
class Plugin;
}

namespace plugins::docs {

class DocumentLibrary {
 public:
  // The plugin outlives this object.
  DocumentLibrary(mcp::Plugin& plugin, DocumentFolder folder);

  const DocumentFolder& folder() const { return folder_; }

  // Looks at the folder, and tells the host and clients what is different from the last time.
  void refresh();

  // A document of the folder, or the built-in one as long as refresh finds none there. Nothing if there is no such
  // document. Throws mcp::ProtocolError if it cannot be read.
  std::optional<std::string> read(std::string_view path) const;

  // Of the documents that the last refresh found, in the order of the alphabet.
  std::vector<std::string> paths() const;

 private:
  void warn_of_more();
  void warn_of_unlisted(const std::string& path, const std::string& reason);
  void withdraw(const std::string& path);
  void publish(const std::string& path, const Document& document);
  void set_built_in(bool is_wanted);

  mcp::Plugin& plugin_;
  const DocumentFolder folder_;
  FolderScan seen_;  // refresh's own, as what follows up to the mutex
  bool has_warned_ = false;
  int warnings_ = 0;  // of files that are not listed
  mutable Mutex mutex_;
  std::vector<std::string> paths_ GUARDED_BY(mutex_);  // of the documents that were seen
  std::atomic<bool> has_built_in_ = false;
};

}  // namespace plugins::docs
