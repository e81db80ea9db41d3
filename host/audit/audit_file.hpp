// The file of an audit log on the disk: who writes it, its end, and the files before it. FILE is the one that is being
// written; an older one has the number of its first line behind its name, FILE.000000000001, so that names sort as the
// lines do. `.FILE.lock` keeps a second host away. Owned by the audit log; one thread at a time.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <unistd.h>
#include <utility>

#include "audit/chain.hpp"
#include "base/file_descriptor.hpp"
#include "base/result.hpp"

namespace mcph {

// How a file and its folder come to the disk. Each waits until what has been written to the descriptor is there; 0, or
// -1 and errno, as fsync(2).
struct AuditSyncs {
  int (*file)(int descriptor) = ::fdatasync;
  int (*folder)(int descriptor) = ::fsync;
};

class AuditFile {
 public:
  // Makes it if it is not there. What a host has left that was killed comes to the disk. A part of a line at its end,
  // of a host that was killed, is moved to a file of its own. Fails where another host writes it, others than its owner
  // may write it or others than its group read it, or its last line is no line.
  static Result<AuditFile> open(const std::filesystem::path& file, AuditSyncs syncs = {});

  // The last line, of this file or the one before; none in a log that begins. After a sync that failed it is the last
  // one that is on the disk.
  const AuditHead& head() const { return head_; }
  // Whether the last line was a checkpoint when it was opened.
  bool found_checkpoint() const { return found_checkpoint_; }
  // What was moved away when it was opened, and where to.
  struct Torn {
    std::uint64_t bytes = 0;
    std::filesystem::path file = {};
  };
  const Torn& torn() const { return torn_; }

  std::uint64_t size() const { return size_; }
  // When its first line was written; of an empty one, when it was opened.
  std::chrono::system_clock::time_point begin() const { return begin_; }

  // Appends whole lines, the last of which is `head`. What has been written of them is taken back if it fails.
  Result<> append(std::string_view lines, const AuditHead& head);
  // Until it is on the disk. Where that fails, nobody knows which of the lines since the last good sync are, and a
  // second sync would say that all is well (fsync(2)). So those lines are taken back, and are to be appended anew.
  Result<> sync();
  // Lines that are taken back stay in the file until the next ones are appended; or, where there will be none, until
  // this.
  Result<> cut_off_rest();
  // Puts this file to the older ones, removes the oldest of those that are more than `keep`, 0: none, and goes on with
  // an empty one.
  Result<> rotate(unsigned keep);

  // Whether somebody has removed or moved it, so that nobody would look for what is written to it.
  bool is_removed() const;
  // Whether one that has been removed has a name elsewhere: it has been moved.
  bool is_elsewhere() const;
  // In place of one that has been removed: goes on with an empty one, behind `last`.
  Result<> begin_anew(const AuditHead& last);

 private:
  AuditFile(std::filesystem::path path, AuditSyncs syncs)
      : path_(std::move(path)), folder_(path_.parent_path()), syncs_(syncs) {}

  Result<> lock();
  Result<> open_current();
  Result<> find_head();
  Result<> move_torn_away(std::string_view torn, std::uint64_t whole);
  std::vector<std::filesystem::path> older() const;
  Result<> remove_older(unsigned keep) const;
  std::filesystem::path beside(const std::string& name) const { return folder_ / name; }
  std::filesystem::path lock_path() const { return beside("." + path_.filename().string() + ".lock"); }
  bool sync_folder() const;

  std::filesystem::path path_;
  std::filesystem::path folder_;  // kept, because to bring it to the disk must take no memory
  AuditSyncs syncs_;
  FileDescriptor lock_;
  FileDescriptor file_;
  AuditHead head_;
  Torn torn_;
  bool found_checkpoint_ = false;
  std::uint64_t first_seq_ = 1;  // of the file
  std::uint64_t size_ = 0;
  AuditHead synced_head_;  // that is on the disk, and so many bytes
  std::uint64_t synced_size_ = 0;
  bool is_new_ = false;    // and its folder may not have it on the disk yet
  bool has_rest_ = false;  // of lines that have been taken back, behind its size
  std::chrono::system_clock::time_point begin_;
};

}  // namespace mcph
