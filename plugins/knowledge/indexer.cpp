#include "knowledge/indexer.hpp"

#include <algorithm>
#include <exception>
#include <new>
#include <utility>
#include <vector>

#include <mcp/plugin/typed.hpp>

namespace plugins::knowledge {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr std::size_t max_watched_folders = 10'000;
constexpr std::size_t max_pending = 10'000;
constexpr int max_depth = 32;
constexpr int max_warnings = 50;
// Entries of any kind that are looked at for each file that there may be.
constexpr std::size_t entries_of_a_file = 4;
// Together with its many friends a change is looked at.
constexpr milliseconds moment{50};
// What events have missed, such as changes by another machine.
constexpr milliseconds patient_interval{60'000};
constexpr milliseconds retry_interval{5000};
constexpr milliseconds lock_interval{200};
constexpr milliseconds news_interval{1000};
constexpr int rest_factor = 10;

milliseconds since(Clock::time_point begin) {
  return std::chrono::duration_cast<milliseconds>(Clock::now() - begin);
}

std::int64_t nanoseconds_of(const timespec& time) {
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

FileState state_of(const struct stat& status) {
  return {status.st_size, nanoseconds_of(status.st_mtim), nanoseconds_of(status.st_ctim)};
}

bool is_unchanged(const FileState& before, const FileState& now) {
  return before.size == now.size && before.modified_nanoseconds == now.modified_nanoseconds &&
         (before.changed_nanoseconds == 0 || before.changed_nanoseconds == now.changed_nanoseconds);
}

bool is_of_the_moment(const std::exception& failure) {
  const auto* const error = dynamic_cast<const FileError*>(&failure);
  return dynamic_cast<const std::bad_alloc*>(&failure) != nullptr || (error != nullptr && error->is_of_the_moment());
}

// What it says of an empty file does not matter.
bool can_start_pdf_reader(milliseconds time, const std::atomic<bool>& is_stopped) {
  try {
    text_of_pdf({}, {time, max_text_bytes}, is_stopped);
  } catch (const PdfReaderMissing&) {
    return false;
  } catch (const std::exception& error) {
    return !is_of_the_moment(error);
  }
  return true;
}

}  // namespace

// Changes of the index that become visible together, and are told then.
class Indexer::Batch {
 public:
  Batch(Indexer& indexer, IndexWriter& index) : indexer_(indexer), index_(index) {}

  IndexWriter& index() { return index_; }

  // Before each change.
  void begin() {
    if (!transaction_) transaction_.emplace(index_.database());
  }
  // After each. `is_known`: clients may know it as it was.
  void add(const std::string& path, bool is_known) {
    if (is_known) changed_.push_back(path);
    ++changes_;
    if (changes_ >= max_changes || Clock::now() - begun_ > max_time) commit();
  }

  void commit() {
    if (!transaction_) return;
    transaction_->commit();
    transaction_.reset();
    indexer_.documents_ = index_.count_documents();
    for (const auto& path : changed_)
      indexer_.plugin_.resource_updated(uri_of(path));
    changed_.clear();
    changes_ = 0;
    begun_ = Clock::now();
    has_changed_ = true;
  }
  bool has_changed() const { return has_changed_; }

 private:
  static constexpr int max_changes = 1000;
  static constexpr std::chrono::seconds max_time{1};

  Indexer& indexer_;
  IndexWriter& index_;
  std::optional<sqlite::Transaction> transaction_;
  std::vector<std::string> changed_;
  int changes_ = 0;
  Clock::time_point begun_ = Clock::now();
  bool has_changed_ = false;
};

Indexer::Indexer(mcp::Plugin& plugin, const Settings& settings, std::string file, IndexReader& reader,
                 ReadDocument read)
    : plugin_(plugin),
      settings_(settings),
      file_(std::move(file)),
      directory_(settings.folder, Resolution::stepwise),
      reader_(reader),
      list_(plugin, std::move(read)) {
  // So that the index is there before anybody searches, unless somebody else makes and keeps it.
  lock_ = FileLock::try_take(file_ + ".lock");
  if (lock_) IndexWriter::open(file_, settings_.folder);
  is_indexing_ = lock_.has_value();
  show_what_is_known();
  watch_.emplace(std::vector{settings_.folder},
                 FolderWatch::Listener{.changed = [this](const std::string& path) { changed(path); },
                                       .degraded = [this](const std::string& reason) { degraded(reason); }},
                 max_watched_folders);
  thread_ = std::thread([this] { run(); });
}

Indexer::~Indexer() {
  {
    const MutexLock lock(mutex_);
    is_stopping_ = true;
  }
  wake_.notify_all();
  watch_.reset();
  thread_.join();
}

void Indexer::show_what_is_known() {
  try {
    documents_ = reader_.count_documents();
    list_.set(reader_.list(ResourceList::max_listed));
  } catch (const sqlite::Error& error) {
    plugin_.info(std::string("the index cannot be read yet: ") + error.what());
  }
}

// Of whoever keeps the index.
void Indexer::show_what_another_has_changed() {
  if (Clock::now() < next_news_) return;
  next_news_ = Clock::now() + news_interval;
  try {
    const auto changed = reader_.news();
    if (!changed) return;
    show_what_is_known();
    for (const auto& path : *changed)
      plugin_.resource_updated(uri_of(path));
  } catch (const sqlite::Error&) {
    // It is not there yet.
  }
}

void Indexer::run() {
  while (!is_stopping_) {
    try {
      if (!lock_) lock_ = FileLock::try_take(file_ + ".lock");
      if (lock_) {
        keep(IndexWriter::open(file_, settings_.folder));
      } else {
        pause(lock_interval);
        show_what_another_has_changed();
      }
    } catch (const std::exception& error) {
      plugin_.error("the index " + file_ + " cannot be kept: " + error.what());
      // Nobody is to wait for it.
      end_first_look();
      pause(retry_interval);
    }
  }
}

void Indexer::keep(IndexWriter index) {
  index.set_limits(settings_.max_file_bytes, settings_.pdf_time);
  show_what_is_known();
  bool is_first = true;
  auto paths = Paths{"."};
  milliseconds took{};
  while (!is_stopping_) {
    const auto begin = Clock::now();
    Batch batch(*this, index);
    const bool is_there = has_folder();
    if (is_there) {
      for (const auto& path : paths)
        scan(batch, path);
      batch.commit();
    }
    if (is_there && !is_stopping_) {
      if (batch.has_changed()) list_.set(reader_.list(ResourceList::max_listed));
      if (is_first) {
        plugin_.info("serving " + std::to_string(documents_) + " documents of " + directory_.path() + ", " +
                     std::to_string(indexed_) + " of them indexed now, in " + std::to_string(since(begin).count()) +
                     " ms");
      }
      is_first = false;
    }
    if (!is_stopping_) end_first_look();
    if (paths.contains(".")) took = since(begin);
    // What was indexed took its time, too, and is no reason to rest for longer than where events tell of changes.
    const auto rest = std::max(settings_.rescan_interval, std::min(took * rest_factor, patient_interval));
    paths = wait(is_degraded_ || !is_there ? rest : patient_interval);
  }
}

std::optional<std::uint64_t> Indexer::folder_number() const {
  struct stat status {};
  if (::stat(directory_.path().c_str(), &status) != 0) return std::nullopt;
  return status.st_ino;
}

// Where it is not there, as when it is not mounted, what is known of it is kept.
bool Indexer::has_folder() {
  const auto error = directory_.why_unreadable();
  if (error && had_folder_) plugin_.warn("the folder " + directory_.path() + " " + error->what());
  had_folder_ = !error;
  folder_number_ = folder_number();
  return had_folder_;
}

Indexer::Paths Indexer::wait(milliseconds until_all) {
  MutexLock lock(mutex_);
  const auto due = Clock::now() + until_all;
  // A folder that is moved away, or comes back, is no event of a file.
  while (!is_stopping_ && pending_.empty() && Clock::now() < due && folder_number() == folder_number_) {
    wake_.wait_until(lock, std::min(due, Clock::now() + settings_.rescan_interval));
  }
  const auto soon = Clock::now() + moment;
  while (!is_stopping_ && !pending_.empty() && wake_.wait_until(lock, soon)) {
  }
  Paths paths;
  if (is_stopping_) return paths;
  paths.swap(pending_);
  if (paths.empty() || paths.contains(".")) return {"."};
  return paths;
}

bool Indexer::pause(milliseconds time) {
  MutexLock lock(mutex_);
  const auto end = Clock::now() + time;
  while (!is_stopping_ && wake_.wait_until(lock, end)) {
  }
  return !is_stopping_;
}

void Indexer::end_first_look() {
  {
    const MutexLock lock(mutex_);
    is_indexing_ = false;
  }
  wake_.notify_all();
}

void Indexer::wait_for_first_look(milliseconds time) {
  MutexLock lock(mutex_);
  const auto end = Clock::now() + time;
  while (is_indexing_ && !is_stopping_ && wake_.wait_until(lock, end)) {
  }
}

void Indexer::changed(const std::string& path) {
  const auto& folder = settings_.folder;
  const auto relative = path.size() > folder.size() ? RelativePath::parse(path.substr(folder.size())) : RelativePath();
  if (!relative) return;
  {
    const MutexLock lock(mutex_);
    if (pending_.size() >= max_pending) pending_ = {"."};
    pending_.insert(relative->text());
  }
  wake_.notify_all();
}

void Indexer::degraded(const std::string& reason) {
  plugin_.info(reason + ": the folder is looked through now and then");
  is_degraded_ = true;
  changed(settings_.folder);
}

void Indexer::scan(Batch& batch, const std::string& text) {
  const auto path = RelativePath::parse(text);
  if (!path) return;
  const Files known = batch.index().known(text);
  if (path->is_empty()) {
    left_out_.begin();
    // Its program may have been away for a moment only, such as while it was replaced.
    if (has_no_pdf_reader_) has_no_pdf_reader_ = !can_start_pdf_reader(settings_.pdf_time, is_stopping_);
  }
  const auto room = settings_.max_files - std::min(settings_.max_files, batch.index().count_files());
  const auto [now, has_failed] = found(*path, known, room);
  for (const auto& [name, state] : now) {
    if (is_stopping_) return;
    const auto before = known.find(name);
    const bool is_known = before != known.end();
    if (is_known && is_unchanged(before->second, state)) continue;
    const auto file = RelativePath::parse(name);
    if (!file) continue;
    batch.begin();
    if (index_file(batch, *file, state)) batch.add(name, is_known);
  }
  bool look_at_all = false;
  for (const auto& [name, state] : has_failed ? Files() : known) {
    if (is_stopping_) return;
    if (now.contains(name)) continue;
    batch.begin();
    batch.index().remove(name);
    batch.add(name, true);
    // For one of those there may be room now.
    look_at_all = look_at_all || !left_out_.is_empty();
  }
  if (const auto news = left_out_.news()) {
    warn(*news + ", are left out, because there are more in " + directory_.path() + " than maxFiles, " +
         std::to_string(settings_.max_files));
  }
  if (look_at_all) changed(settings_.folder);
}

Indexer::Found Indexer::found(const RelativePath& path, const Files& known, std::size_t room) {
  Found found;
  const auto status = path.is_empty() ? std::nullopt : directory_.status(path);
  if (!path.is_empty() && !status) return found;
  if (status && !S_ISDIR(status->st_mode)) {
    if (!S_ISREG(status->st_mode) || !is_wanted(path, known)) return found;
    if (room > 0 || !known.empty()) {
      found.files.emplace(path.text(), state_of(*status));
    } else {
      left_out_.add(path.text());
    }
    return found;
  }
  return found_below(path, known, room);
}

// Those that are known stay, so that the others do not take their places by turns.
Indexer::Found Indexer::found_below(const RelativePath& path, const Files& known, std::size_t room) {
  Found found;
  Files& files = found.files;
  const auto add = [&](const WalkedEntry& entry) {
    if (is_stopping_) return false;
    if (!S_ISREG(entry.status.st_mode) || !is_wanted(entry.path, known)) return true;
    auto name = entry.path.text();
    const bool is_new = !known.contains(name);
    if (files.size() == settings_.max_files || (is_new && room == 0)) {
      left_out_.add(name);
    } else {
      room -= is_new ? 1 : 0;
      files.emplace(std::move(name), state_of(entry.status));
    }
    return true;
  };
  const std::size_t max_entries = settings_.max_files * entries_of_a_file;
  const WalkGaps gaps = directory_.walk(path, {.max_depth = max_depth, .max_entries = max_entries}, add);
  if (gaps.has_failed) {
    found.has_failed = true;
    warn("something in " + directory_.path() + " cannot be looked at now; it is tried again within a minute");
  }
  if (gaps.reached_limit) {
    warn("there are more than " + std::to_string(max_entries) + " entries in " + directory_.path() +
         ", which is the limit with this maxFiles: the others are not looked at");
  }
  return found;
}

// What is known of a PDF stays true without its reader.
bool Indexer::is_wanted(const RelativePath& path, const Files& known) const {
  const auto kind = kind_of(path);
  return kind && (kind != Kind::pdf || !has_no_pdf_reader_ || known.contains(path.text()));
}

bool Indexer::index_file(Batch& batch, const RelativePath& path, const FileState& state) {
  const auto name = path.text();
  const auto kind = kind_of(path);
  if (!kind) return false;
  if (kind == Kind::pdf && has_no_pdf_reader_) {
    batch.index().remove(name);
    return true;
  }
  try {
    const auto document = read(path, *kind);
    batch.index().put(name, state, document.title, document.text);
    ++indexed_;
  } catch (const PdfReaderMissing& error) {
    has_no_pdf_reader_ = true;
    plugin_.warn(std::string("PDFs are left out, because ") + error.what() +
                 ": install poppler-utils, and have no strict sandbox");
    batch.index().remove(name);
  } catch (const sqlite::Error&) {
    throw;
  } catch (const std::exception& error) {
    if (is_stopping_) return false;
    const bool is_tried_again = is_of_the_moment(error);
    warn(name + ' ' + error.what() + (is_tried_again ? "; it is tried again within a minute" : ""));
    if (is_tried_again) return false;
    batch.index().put_problem(name, state, error.what());
  }
  return true;
}

DocumentText Indexer::read(const RelativePath& path, Kind kind) {
  return read_document(path, kind, directory_.read(path, settings_.max_file_bytes), settings_.pdf_time, is_stopping_);
}

void Indexer::warn(const std::string& problem) {
  if (warnings_ == max_warnings) return;
  ++warnings_;
  plugin_.warn(problem + (warnings_ == max_warnings ? "; no more of this kind is said" : ""));
}

}  // namespace plugins::knowledge
