// Indexer: keeps the index the same as the folder, on a thread of its own, from its making until it is destroyed. It
// tells clients which documents changed. While another version of the plugin, or another host, keeps the same index, it
// waits, and tells of what that one changes. Its members are what the thread knows of the folder, and what others may
// ask of it meanwhile.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <thread>

#include "knowledge/document.hpp"
#include "knowledge/index_reader.hpp"
#include "knowledge/index_writer.hpp"
#include "knowledge/left_out_files.hpp"
#include "knowledge/resource_list.hpp"
#include "knowledge/settings.hpp"
#include "shared/file_lock.hpp"
#include "shared/folder_watch.hpp"
#include "shared/mutex.hpp"
#include "shared/relative_path.hpp"
#include "shared/rooted_directory.hpp"

namespace mcp {
class Plugin;
}

namespace plugins::knowledge {

class Indexer {
 public:
  // `file` is the index, beside which the lock lies. The plugin and the reader outlive this object.
  Indexer(mcp::Plugin& plugin, const Settings& settings, std::string file, IndexReader& reader, ReadDocument read);
  Indexer(const Indexer&) = delete;
  Indexer& operator=(const Indexer&) = delete;
  ~Indexer();

  // Any thread.
  std::int64_t documents() const { return documents_; }
  // Not everything that lies in the folder is in the index yet. False where the index cannot be kept.
  bool is_indexing() const { return is_indexing_; }
  // Until everything is in the index, or the folder is found missing, but no longer than this.
  void wait_for_first_look(std::chrono::milliseconds time);

 private:
  class Batch;
  using Paths = std::set<std::string>;

  void show_what_is_known();
  void show_what_another_has_changed();
  void run();
  // Until it is to end.
  void keep(IndexWriter index);
  // What is to be looked at: "." is everything, which is due now and then; nothing when it is to end.
  Paths wait(std::chrono::milliseconds until_all);
  // False if it is to end.
  bool pause(std::chrono::milliseconds time);
  void end_first_look();
  void changed(const std::string& path);
  void degraded(const std::string& reason);

  // The folder is there, and it has been said if it is not.
  bool has_folder();
  // By which it is known to be the same; nothing if it is not there.
  std::optional<std::uint64_t> folder_number() const;
  void scan(Batch& batch, const std::string& path);
  // What is there now of a path and below it, without new files for which the index has no room.
  struct Found {
    Files files;
    bool has_failed = false;  // there may be more, which could not be looked at now
  };
  Found found(const RelativePath& path, const Files& known, std::size_t room);
  Found found_below(const RelativePath& path, const Files& known, std::size_t room);
  bool is_wanted(const RelativePath& path, const Files& known) const;
  // False if nothing is changed, because it cannot be read at the moment.
  bool index_file(Batch& batch, const RelativePath& path, const FileState& state);
  DocumentText read(const RelativePath& path, Kind kind);
  void warn(const std::string& problem);

  mcp::Plugin& plugin_;
  const Settings settings_;
  const std::string file_;
  const RootedDirectory directory_;
  IndexReader& reader_;
  ResourceList list_;
  std::atomic<std::int64_t> documents_ = 0;
  std::atomic<bool> is_indexing_ = true;
  std::atomic<bool> is_degraded_ = false;
  std::atomic<bool> is_stopping_ = false;  // also for what takes long
  std::optional<FileLock> lock_;           // the thread's own, as what follows up to the mutex
  std::atomic<bool> has_no_pdf_reader_ = false;
  std::int64_t indexed_ = 0;  // since the thread began
  int warnings_ = 0;
  std::chrono::steady_clock::time_point next_news_;
  LeftOutFiles left_out_;
  bool had_folder_ = true;
  std::optional<std::uint64_t> folder_number_;
  Mutex mutex_;
  Condition wake_;
  Paths pending_ GUARDED_BY(mutex_);
  std::thread thread_;                // behind what it uses
  std::optional<FolderWatch> watch_;  // last, because it uses the others
};

}  // namespace plugins::knowledge
