#include "audit/audit_log.hpp"

#include <algorithm>
#include <cstddef>
#include <new>
#include <utility>

#include "base/base64.hpp"

namespace mcph {
namespace {

using Steady = std::chrono::steady_clock;

constexpr std::chrono::milliseconds time_to_gather{10};  // lines that nobody waits for
constexpr std::chrono::milliseconds max_to_gather{10};   // lines that somebody waits for
constexpr std::chrono::milliseconds before_next_try{100};
// In mode async; what has not been synced is kept in memory.
constexpr std::size_t max_unsynced = std::size_t{4} << 20;
constexpr std::chrono::seconds before_next_rotation{10};

void tell(std::vector<AuditLog::Then>& thens, const Result<>& recorded) {
  for (const auto& then : thens) {
    try {
      then(recorded);
    } catch (const std::bad_alloc&) {
      // The others hear of it all the same.
    }
  }
  thens.clear();
}

}  // namespace

Result<std::unique_ptr<AuditLog>> AuditLog::open(AuditOptions options, std::string_view version, Log& log, Clock clock,
                                                 AuditSyncs syncs) {
  std::optional<AuditSigningKey> key;
  if (!options.key.empty()) {
    auto read = AuditSigningKey::read(options.key);
    if (read.has_error()) return fail("the key of the audit log: " + read.error().message);
    key = *std::move(read);
  }
  auto file = AuditFile::open(options.file, syncs);
  if (file.has_error()) return fail("the audit log " + file.error().message);
  std::unique_ptr<AuditLog> audit(
      new AuditLog(std::move(options), *std::move(file), std::move(key), log, std::move(clock)));
  audit->begin(version);
  const auto written = audit->try_to_write(false);
  if (written.has_error())
    return fail("the audit log " + audit->options_.file.string() + " cannot be written: " + written.error().message);
  audit->thread_ = std::thread([log = audit.get()] { log->run(); });
  return audit;
}

AuditLog::AuditLog(AuditOptions options, AuditFile file, std::optional<AuditSigningKey> key, Log& log, Clock clock)
    : options_(std::move(options)),
      key_(std::move(key)),
      log_(log),
      clock_(std::move(clock)),
      file_(std::move(file)),
      last_(file_.head()) {}

AuditLog::~AuditLog() {
  close();
}

void AuditLog::begin(std::string_view version) {
  // A host that was killed has left lines without a checkpoint, or somebody else has written them. The checkpoint for
  // them covers `start`, too, so that it shows which host has signed them.
  const bool lacks_checkpoint = key_ && last_.seq > 0 && !file_.found_checkpoint();
  AuditEvent event(audit_event::start);
  event.add("previous", text_of(last_.hash)).add("version", version);
  event.add("mode", options_.mode == AuditOptions::Mode::strict ? "strict" : "async");
  if (const auto& torn = file_.torn(); torn.bytes > 0) {
    event.add("truncated_bytes", torn.bytes).add("truncated_to", torn.file.filename().string());
    log_.warning("audit log ended with a part of a line",
                 {{"file", options_.file.string()}, {"bytes", torn.bytes}, {"moved_to", torn.file.string()}});
  }
  add_line(clock_(), event.members());
  if (lacks_checkpoint) add_checkpoint();
}

bool AuditLog::add(const AuditEvent& event, const std::function<Then()>& wait) {
  const auto now = clock_();
  const MutexLock lock(mutex_);
  if (closing_) {
    if (!wait || options_.mode == AuditOptions::Mode::async) return true;
    const auto then = wait();
    then(fail("the host ends"));
    return false;
  }
  auto& lines = waiting_.lines;
  const bool has_room = !has_too_many();
  if (!wait && has_too_many(2)) {
    ++left_out_;
    return true;
  }
  lines.push_back({now, event.members().size()});
  try {
    waiting_.members.append(event.members());
  } catch (const std::bad_alloc&) {
    lines.pop_back();  // else every later line would have the text of another one
    throw;
  }
  if (lines.size() == 1 || lines.size() == enough_) changed_.notify_one();
  if (!wait || (options_.mode == AuditOptions::Mode::async && has_room)) return true;
  waiting_.thens.push_back(wait());
  if (waiting_.thens.size() == 1) changed_.notify_one();
  return false;
}

void AuditLog::add(const RefusalSums::Refused& refusal) {
  const MutexLock lock(mutex_);
  const bool is_first = !sums_.due();
  sums_.add(refusal, clock_());
  if (is_first) changed_.notify_one();
}

std::optional<std::string> AuditLog::trouble() const {
  const MutexLock lock(mutex_);
  return trouble_;
}

std::optional<std::string> AuditLog::refuses() const {
  if (!may_refuse_) return std::nullopt;
  const bool is_strict = options_.mode == AuditOptions::Mode::strict;
  const MutexLock lock(mutex_);
  if (is_strict && closing_) return "the host ends";
  return is_strict || has_too_many() ? trouble_ : std::nullopt;
}

bool AuditLog::has_too_many(std::size_t times) const {
  return waiting_.lines.size() + taken_lines_ >= times * options_.max_waiting ||
         waiting_.members.size() + taken_bytes_ >= times * options_.max_waiting_bytes;
}

AuditHead AuditLog::head() const {
  const MutexLock lock(mutex_);
  return written_;
}

void AuditLog::close() {
  {
    const MutexLock lock(mutex_);
    closing_ = true;
    may_refuse_ = true;
    changed_.notify_one();
  }
  if (!thread_.joinable()) return;
  thread_.join();
  log_.info("audit log closed", {{"file", options_.file.string()}, {"head", to_text(file_.head())}});
}

void AuditLog::run() {
  try {
    // The start does not wait for the disk. Whoever keeps the head that is told must find it again.
    write(true);
    log_.info("audit log open", {{"file", options_.file.string()}, {"head", to_text(file_.head())}});
  } catch (const std::bad_alloc&) {
    // It is written with what comes.
  }
  for (bool goes_on = true; goes_on;) {
    try {
      goes_on = write_what_comes();
    } catch (const std::bad_alloc&) {
      goes_on = go_on_without_memory();
    }
  }
  try {
    end();
  } catch (const std::bad_alloc&) {
    // The log ends as that of a host that was killed.
  }
}

// Whatever finds no memory, each line is in text_, or where it was before.
bool AuditLog::write_what_comes() {
  const bool goes_on = take_what_comes();
  begin_anew_if_removed();
  add_first_lines_if_due();
  add_taken();
  add_left_out_if_any();
  if (key_ && unsigned_lines_ > 0 && (needs_checkpoint() || unsigned_lines_ >= max_lines_to_checkpoint))
    add_checkpoint();
  write(!goes_on);
  if (goes_on) rotate_if_due();
  return goes_on;
}

// As where the disk is full: whoever waits hears of it, and what is kept is written later.
bool AuditLog::go_on_without_memory() {
  const Result<> recorded = fail_for_now("no memory left");  // so short that it takes none
  set_trouble(recorded);
  tell(taken_.thens, recorded);
  std::vector<Then> thens;
  bool goes_on = false;
  {
    const MutexLock lock(mutex_);
    thens.swap(waiting_.thens);
    goes_on = !closing_;
  }
  tell(thens, recorded);
  return goes_on;
}

// Lines, and sums of what was refused.
std::uint64_t AuditLog::unwritten() const {
  const auto made = static_cast<std::uint64_t>(std::ranges::count(text_, '\n')) + dropped_;
  const MutexLock lock(mutex_);
  return made + taken_.lines.size() - taken_.added + due_sums_.size() + waiting_.lines.size() + left_out_;
}

// The line `stop` shows the next host that all before it is on the disk. So it is written when that is so.
void AuditLog::end() {
  if (unwritten() == 0) {
    add_first_lines_if_due();
    add_line(clock_(), AuditEvent(audit_event::stop).members());
    if (key_ && unsigned_lines_ > 0) add_checkpoint();
    write(true);
  }
  const auto lost = unwritten();
  if (lost == 0) return;
  static_cast<void>(file_.cut_off_rest());
  log_.error(
      "audit lines lost",
      {{"file", options_.file.string()}, {"reason", "they cannot be written, and the host ends"}, {"lines", lost}});
}

bool AuditLog::take_what_comes() {
  MutexLock lock(mutex_);
  wait_for_lines(lock);
  // What there was no memory for comes first.
  if (taken_.lines.empty()) {
    std::swap(taken_, waiting_);
    taken_lines_ += taken_.lines.size();
    taken_bytes_ += taken_.members.size();
  }
  if (due_sums_.empty()) {
    due_sums_ = sums_.take(clock_(), closing_);
    if (has_too_many(2)) left_out_ += std::exchange(due_sums_, {}).size();
    for (const auto& sum : due_sums_) {
      ++taken_lines_;
      taken_bytes_ += sum.members().size();
    }
    std::ranges::reverse(due_sums_);
  }
  // At the end what has come behind that is taken, too.
  return !closing_ || !waiting_.lines.empty() || sums_.due();
}

void AuditLog::wait_for_lines(MutexLock& lock) {
  const auto next_try = Steady::now() + before_next_try;
  for (;;) {
    // Whoever waits is told at once that nothing can be written.
    const bool has_some = trouble_ ? !waiting_.thens.empty() : !waiting_.lines.empty() || left_out_ > 0;
    if (closing_ || has_some) break;
    const auto when = trouble_ ? next_try : due();
    if (!when) {
      changed_.wait(lock);
    } else if (*when <= Steady::now() || !changed_.wait_until(lock, *when)) {
      break;
    }
  }
  gather(lock);
}

// Many lines in one sync cost little more than one. So where many clients call, those who have been answered with the
// last sync are waited for, as long as another one comes in the time of a sync; a client that is alone has nobody to
// wait for.
void AuditLog::gather(MutexLock& lock) {
  const bool is_strict = options_.mode == AuditOptions::Mode::strict;
  enough_ = is_strict ? last_lines_ : options_.max_waiting / 4;
  const auto pause = is_strict ? last_sync_ : Steady::duration(time_to_gather);
  const auto begin = Steady::now();
  auto until = begin + pause;
  std::size_t seen = waiting_.lines.size();
  while (!waiting_.lines.empty() && waiting_.lines.size() < enough_ && !closing_ && !trouble_) {
    if (changed_.wait_until(lock, until)) continue;
    if (!is_strict || waiting_.lines.size() == seen || until - begin >= max_to_gather) break;
    seen = waiting_.lines.size();
    until += pause;
  }
  last_lines_ = waiting_.lines.size();
}

std::optional<Steady::time_point> AuditLog::due() const {
  std::optional<Steady::time_point> when;
  const auto no_later_than = [&](Steady::time_point time) { when = when ? std::min(*when, time) : time; };
  if (open_since_) no_later_than(*open_since_ + options_.checkpoint_time);
  if (const auto time = sums_.due()) {
    const auto now = clock_();
    no_later_than(Steady::now() + (*time <= now ? Steady::duration::zero()
                                                : std::chrono::duration_cast<Steady::duration>(*time - now)));
  }
  return when;
}

void AuditLog::add_taken() {
  for (; taken_.added < taken_.lines.size(); ++taken_.added) {
    const auto& [time, length] = taken_.lines[taken_.added];
    add_line(time, std::string_view(taken_.members).substr(taken_.added_bytes, length));
    taken_.added_bytes += length;
  }
  taken_.lines.clear();
  taken_.members.clear();
  taken_.added = 0;
  taken_.added_bytes = 0;
  for (; !due_sums_.empty(); due_sums_.pop_back())
    add_line(clock_(), due_sums_.back().members());
}

// Adds it, or throws, and has added nothing but a checkpoint before it.
void AuditLog::add_line(std::chrono::system_clock::time_point time, std::string_view members) {
  if (key_ && !lacks_first_line_ && unsigned_lines_ >= max_lines_to_checkpoint) add_checkpoint();
  append_audit_line(text_, last_, hasher_, time, members);
  ++unsigned_lines_;
  if (!open_since_) open_since_ = Steady::now();
}

void AuditLog::add_checkpoint() {
  const auto signature = base64_encode(key_->sign(checkpoint_text(last_)));
  append_audit_line(text_, last_, hasher_, clock_(),
                    AuditEvent(audit_event::checkpoint).add("signature", signature).members());
  unsigned_lines_ = 0;
}

bool AuditLog::needs_checkpoint() const {
  return open_since_ && Steady::now() >= *open_since_ + options_.checkpoint_time;
}

// Of a new file, and of what could not be in the one before it.
void AuditLog::add_first_lines_if_due() {
  if (lacks_first_line_)
    add_line(clock_(), AuditEvent(audit_event::rotated).add("previous", text_of(last_.hash)).members());
  lacks_first_line_ = false;
  if (dropped_ > 0) add_left_out(dropped_);
  dropped_ = 0;
}

void AuditLog::add_left_out_if_any() {
  std::uint64_t lines = 0;
  {
    const MutexLock lock(mutex_);
    if (!trouble_ || closing_) lines = left_out_;
  }
  if (lines == 0) return;
  add_left_out(lines);
  const MutexLock lock(mutex_);
  left_out_ -= lines;
}

// The chain says so, too.
void AuditLog::add_left_out(std::uint64_t lines) {
  add_line(clock_(), AuditEvent("left_out").add("count", lines).members());
  try {
    log_.error("audit lines left out", {{"file", options_.file.string()}, {"lines", lines}});
  } catch (const std::bad_alloc&) {
    // It has been added all the same.
  }
}

void AuditLog::write(bool is_last) {
  const auto written = try_to_write(is_last || options_.mode == AuditOptions::Mode::strict);
  set_trouble(written);
  tell(taken_.thens, written);
}

Result<> AuditLog::try_to_write(bool syncs) {
  Result<> appended;
  if (why_removed_.has_error()) {
    appended = why_removed_;
  } else if (appended_ < text_.size()) {
    appended = file_.append(std::string_view(text_).substr(appended_), last_);
    if (appended.has_value()) appended_ = text_.size();
  }
  // What has been appended before comes to the disk also while nothing more can be.
  const bool is_time = needs_checkpoint();
  if (appended_ > 0 && (syncs || is_time || sync_failed_ || appended_ >= max_unsynced)) {
    const auto begin = Steady::now();
    auto synced = file_.sync();
    sync_failed_ = synced.has_error();
    if (sync_failed_) {
      appended_ = 0;
      return synced;
    }
    last_sync_ = std::min<Steady::duration>(Steady::now() - begin, max_to_gather);
    text_.erase(0, appended_);
    // What one load has needed the next needs again.
    if (text_.capacity() > 2 * max_unsynced) text_.shrink_to_fit();
    appended_ = 0;
  }
  if (text_.empty() && (!key_ || unsigned_lines_ == 0)) open_since_.reset();
  return appended;
}

void AuditLog::rotate_if_due() {
  const bool is_old = options_.rotate_time.count() > 0 && clock_() - file_.begin() >= options_.rotate_time;
  if (appended_ < text_.size() || file_.size() == 0 || (file_.size() < options_.rotate_bytes && !is_old)) return;
  if (Steady::now() < try_rotation_at_) return;
  if (key_ && unsigned_lines_ > 0) {
    add_checkpoint();
  }
  // What is put away is not looked at again.
  write(true);
  if (!text_.empty()) return;
  if (const auto rotated = file_.rotate(options_.keep); rotated.has_error()) {
    try_rotation_at_ = Steady::now() + before_next_rotation;
    return log_.warning("audit log not rotated",
                        {{"file", options_.file.string()}, {"reason", rotated.error().message}});
  }
  lacks_first_line_ = true;
  log_.info("audit log rotated", {{"file", options_.file.string()}, {"head", to_text(last_)}});
  add_first_lines_if_due();
  write();
}

// What was in the file nobody has any more, so a host that refused all from then on would protect nothing.
void AuditLog::begin_anew_if_removed() {
  why_removed_ = {};
  if (!file_.is_removed()) return;
  const bool is_elsewhere = file_.is_elsewhere();
  // Of one that was moved nothing is lost, and the lines of the next one follow its last one.
  if (is_elsewhere) why_removed_ = try_to_write(true);
  if (why_removed_.has_error()) return;
  if (const auto begun = file_.begin_anew(last_); begun.has_error()) {
    why_removed_ = fail_for_now("it has been removed, and no other begins: " + begun.error().message);
    return;
  }
  // The new file cannot begin with these.
  dropped_ += static_cast<std::uint64_t>(std::ranges::count(std::string_view(text_).substr(appended_), '\n'));
  text_.clear();
  appended_ = 0;
  lacks_first_line_ = true;
  log_.error("audit log removed", {{"file", options_.file.string()},
                                   {"consequence", is_elsewhere ? "it was moved, and a new one begins"
                                                                : "what was in it is lost, and a new one begins"},
                                   {"head", to_text(last_)}});
}

void AuditLog::set_trouble(const Result<>& written) {
  const auto trouble = written.has_error() ? std::optional(written.error().message) : std::nullopt;
  bool is_new = false;
  {
    const MutexLock lock(mutex_);
    if (!trouble) {
      written_ = file_.head();
      taken_lines_ = 0;
      taken_bytes_ = 0;
    }
    is_new = trouble.has_value() != trouble_.has_value();
    trouble_ = trouble;
    may_refuse_ = closing_ || trouble_.has_value();
  }
  if (!is_new) return;
  try {
    log_trouble(trouble);
  } catch (const std::bad_alloc&) {
    // Whoever asks for it is told all the same.
  }
}

void AuditLog::log_trouble(const std::optional<std::string>& trouble) {
  const auto file = options_.file.string();
  if (!trouble) return log_.info("audit log is written again", {{"file", file}});
  const bool is_strict = options_.mode == AuditOptions::Mode::strict;
  log_.error("audit log cannot be written",
             {{"file", file},
              {"reason", *trouble},
              {"consequence",
               is_strict ? "requests are refused until it can" : "requests are refused once too many lines wait"}});
}

}  // namespace mcph
