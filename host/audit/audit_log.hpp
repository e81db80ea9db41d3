// The audit log of a host that serves: takes what has happened from any thread, and has one thread of its own number,
// hash, sign and write it, many lines at once. Whoever answers a request hears when the answer may leave. What cannot
// be written, or may not have come to the disk, is kept and written again, so that no record of a request is lost while
// the host lives. Requests are refused meanwhile: in mode strict at once, in mode async once too many lines wait. Made
// by a command that serves, and outlives whatever has something to record; any thread. It has so many functions and
// members because the file, the chain, and those who wait for a line are guarded by one lock: a line has its number,
// its hash and its place in the file at once, or none of them.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "audit/audit_file.hpp"
#include "audit/chain.hpp"
#include "audit/event.hpp"
#include "audit/options.hpp"
#include "audit/refusal_sums.hpp"
#include "audit/signing_key.hpp"
#include "base/mutex.hpp"
#include "base/result.hpp"
#include "telemetry/log.hpp"

namespace mcph {

class AuditLog {
 public:
  using Clock = std::function<std::chrono::system_clock::time_point()>;
  // Called once: what has been recorded may go on; or why it cannot be recorded now, which is still tried.
  using Then = std::function<void(const Result<>& recorded)>;

  // Fails where the file or the key cannot be used. The log outlives it. `version` is the host's.
  static Result<std::unique_ptr<AuditLog>> open(AuditOptions options, std::string_view version, Log& log,
                                                Clock clock = std::chrono::system_clock::now, AuditSyncs syncs = {});
  ~AuditLog();
  AuditLog(const AuditLog&) = delete;
  AuditLog& operator=(const AuditLog&) = delete;

  const AuditOptions& options() const { return options_; }

  // True: nobody need wait. False: what `wait` has made, which is called on this thread, will be called on the log's,
  // which it must not hold up. Without `wait` the line is left out, and counted, where far too many wait already.
  bool add(const AuditEvent& event, const std::function<Then()>& wait = {});
  // Only counted.
  void add(const RefusalSums::Refused& refusal);

  // Why lines cannot be written at this time; nothing: all is well.
  std::optional<std::string> trouble() const;
  // Why nothing may be done now that is to be recorded first.
  std::optional<std::string> refuses() const;
  // The last line that has been written.
  AuditHead head() const;

  // Writes what there is, then that this is the end, and a checkpoint. What comes later is not recorded. Once; the
  // destructor does it otherwise.
  void close();

 private:
  // Lines that nobody has written yet. Their texts are one text, so that hardly any memory is taken by one thread and
  // given back by another one.
  struct Lines {
    struct Line {
      std::chrono::system_clock::time_point time;
      std::size_t length;  // of its members
    };
    std::vector<Line> lines;
    std::string members;
    std::size_t added = 0;  // of the lines, that have been added to the chain, and so many bytes
    std::size_t added_bytes = 0;
    std::vector<Then> thens;  // of those who wait for them
  };

  AuditLog(AuditOptions options, AuditFile file, std::optional<AuditSigningKey> key, Log& log, Clock clock);

  void run();
  // These three say whether the log goes on, and does not end. The first throws std::bad_alloc; then the second does
  // what can be done.
  bool write_what_comes();
  bool go_on_without_memory();
  bool take_what_comes();
  void end();
  std::uint64_t unwritten() const;
  // Waits until there is something to do.
  void wait_for_lines(MutexLock& lock) REQUIRES(mutex_);
  void gather(MutexLock& lock) REQUIRES(mutex_);
  std::optional<std::chrono::steady_clock::time_point> due() const REQUIRES(mutex_);
  // Whether `times` as many lines as may wait do.
  bool has_too_many(std::size_t times = 1) const REQUIRES(mutex_);
  void add_taken();
  void add_line(std::chrono::system_clock::time_point time, std::string_view members);
  void add_first_lines_if_due();
  void add_left_out_if_any();
  void add_left_out(std::uint64_t lines);
  void add_checkpoint();
  bool needs_checkpoint() const;
  // Tries to write what has lines; whoever waits for them hears of it. The last time it is on the disk afterwards.
  void write(bool is_last = false);
  Result<> try_to_write(bool syncs);
  void rotate_if_due();
  void begin_anew_if_removed();
  void set_trouble(const Result<>& written);
  void log_trouble(const std::optional<std::string>& trouble);
  void begin(std::string_view version);

  const AuditOptions options_;
  const std::optional<AuditSigningKey> key_;
  Log& log_;
  const Clock clock_;

  // Of the thread, once it runs.
  AuditFile file_;
  AuditHasher hasher_;
  AuditHead last_;            // that has been made; the file's is the last that has been written
  std::string text_;          // lines of which nobody knows that they are on the disk
  std::size_t appended_ = 0;  // bytes of them that are in the file
  Lines taken_;
  std::vector<AuditEvent> due_sums_;  // the last one first
  bool lacks_first_line_ = false;     // the file does
  std::uint64_t dropped_ = 0;         // lines that were for the file before it
  std::uint64_t unsigned_lines_ = 0;
  Result<> why_removed_;      // the file is, and no other has begun; else no error
  bool sync_failed_ = false;  // the last time
  std::optional<std::chrono::steady_clock::time_point> open_since_;  // the first line without checkpoint or sync
  std::chrono::steady_clock::time_point try_rotation_at_;
  std::chrono::steady_clock::duration last_sync_{};  // how long it took
  std::size_t last_lines_ = 0;                       // that were taken at once

  mutable Mutex mutex_;
  Condition changed_;
  Lines waiting_ GUARDED_BY(mutex_);
  std::size_t taken_lines_ GUARDED_BY(mutex_) = 0;  // of those that have been taken, and not written
  std::size_t taken_bytes_ GUARDED_BY(mutex_) = 0;
  std::uint64_t left_out_ GUARDED_BY(mutex_) = 0;  // lines
  std::size_t enough_ GUARDED_BY(mutex_) = 0;      // lines for the thread to go on
  RefusalSums sums_ GUARDED_BY(mutex_);
  std::optional<std::string> trouble_ GUARDED_BY(mutex_);
  AuditHead written_ GUARDED_BY(mutex_);
  bool closing_ GUARDED_BY(mutex_) = false;
  // closing_, or trouble_ is there: written with the mutex, and read without it by each request.
  std::atomic<bool> may_refuse_{false};

  std::thread thread_;
};

}  // namespace mcph
