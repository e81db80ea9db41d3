// IndexReader: searches the index. Any number of threads may use one: each takes a connection that is idle, or opens
// another, so that there are at most as many as there are threads. The index may be replaced by another file at any
// time, by another process, too: a connection is used only as long as it leads to the file that has the name. Throws
// sqlite::Error.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "knowledge/index_writer.hpp"
#include "shared/mutex.hpp"
#include "shared/sqlite.hpp"

namespace plugins::knowledge {

struct Hit {
  std::string path;
  std::string title;
  std::string snippet;  // the words that were found in **
};

struct ListedDocument {
  std::string path;
  std::string title;
  FileState state;

  bool operator==(const ListedDocument&) const = default;
};

// Why there is no result: for the model to read.
class SearchTooLong : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class IndexReader {
 public:
  explicit IndexReader(std::string file, std::chrono::milliseconds search_time = std::chrono::seconds(2));
  ~IndexReader();

  // The best first: those with all words, the last of which may be the beginning of one; if these are few, those that
  // lack the words that are in most documents. Throws SearchTooLong if nothing is found in the time of a search.
  std::vector<Hit> search(std::string_view query, std::size_t limit);

  // What has been indexed of a document. Nothing if it is not known.
  std::optional<std::string> text(const std::string& path);
  std::int64_t count_documents();
  // All documents in the order of their paths, or none if there are more than `max`.
  std::vector<ListedDocument> list(std::size_t max);
  // In the order of the alphabet.
  std::vector<std::string> paths_that_begin_with(const std::string& typed, std::size_t limit);

  // The documents that are new, have changed or are gone since this was last asked, those of the first time left out;
  // nothing if the index is the same. Used by one thread.
  std::optional<std::vector<std::string>> news();

 private:
  class Connection;
  class Lease;

  void forget_idle();

  std::string file_;
  std::chrono::milliseconds search_time_;
  Mutex mutex_;
  std::vector<std::unique_ptr<Connection>> idle_ GUARDED_BY(mutex_);
  std::unique_ptr<Connection> watching_;  // of news, as what follows
  std::int64_t version_ = 0;
  std::int64_t last_id_ = 0;
  std::int64_t last_removed_ = 0;
};

}  // namespace plugins::knowledge
