#include "audit/audit_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <new>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include "base/regular_file.hpp"

namespace mcph {
namespace {

constexpr ::mode_t for_owner = S_IRUSR | S_IWUSR;
constexpr std::size_t number_width = 12;
// The last line, the one before it, and a part of one.
constexpr std::uint64_t end_to_read = 4 * max_audit_line;

std::string numbered(std::uint64_t number) {
  auto digits = std::to_string(number);
  return std::string(number_width - std::min(number_width, digits.size()), '0') + digits;
}

bool is_number(std::string_view text) {
  return text.size() >= number_width && std::ranges::all_of(text, [](char c) { return '0' <= c && c <= '9'; });
}

Result<std::string> read_part(const FileDescriptor& file, std::uint64_t begin, std::uint64_t end) {
  std::string text(static_cast<std::size_t>(end - begin), '\0');
  for (std::size_t size = 0; size < text.size();) {
    const auto got = uninterrupted([&] {
      return ::pread(file.get(), text.data() + size, text.size() - size, static_cast<::off_t>(begin + size));
    });
    if (got < 0) return fail("cannot be read: " + last_error());
    if (got == 0) return fail("has become shorter while it was read");
    size += static_cast<std::size_t>(got);
  }
  return text;
}

std::uint64_t size_of(const FileDescriptor& file) {
  struct ::stat status {};
  return ::fstat(file.get(), &status) == 0 ? static_cast<std::uint64_t>(status.st_size) : 0;
}

// Why the system has not done what it was asked to last, with what memory there is.
Error last_failure() {
  try {
    return fail_for_now(last_error());
  } catch (const std::bad_alloc&) {
    return fail_for_now("no memory left");  // so short that it takes none
  }
}

// Runs what opens a file. Where that finds no memory, it fails.
template <class Open>
Result<> with_what_memory_there_is(const Open& open) {
  try {
    return open();
  } catch (const std::bad_alloc&) {
    return fail_for_now("no memory left");
  }
}

bool has_no_name(const FileDescriptor& file) {
  struct ::stat status {};
  return ::fstat(file.get(), &status) == 0 && status.st_nlink == 0;
}

// Whether the path leads to the file still: nobody has removed or moved it, or put another one in its place.
bool is_at(const std::filesystem::path& path, const FileDescriptor& file) {
  struct ::stat opened {};
  struct ::stat found {};
  if (::fstat(file.get(), &opened) != 0) return true;
  if (::lstat(path.c_str(), &found) != 0) return errno != ENOENT;
  return found.st_dev == opened.st_dev && found.st_ino == opened.st_ino;
}

constexpr auto what_to_do = "; look at it with mcp-plugin-host audit verify, and move it away for a new log to begin";

struct LastLine {
  AuditHead head;
  bool is_stop = false;
  bool is_checkpoint = false;
};

// Of the whole lines that `text` ends with, whose hash must follow from the line before it.
Result<LastLine> last_of(std::string_view text) {
  text.remove_suffix(1);
  const auto end_before = text.rfind('\n');
  const auto last = read_audit_line(text.substr(end_before + 1));
  if (last.has_error()) return fail("ends with a line that is none: " + last.error().message + what_to_do);
  bool is_stop = last->event == audit_event::stop;
  const bool is_checkpoint = last->event == audit_event::checkpoint;
  std::optional<AuditHash> previous;
  if (end_before == std::string_view::npos) {
    if (const auto digits = first_member(*last, "previous")) previous = read_audit_hash(*digits);
  } else {
    const auto before = text.substr(0, end_before);
    const auto line = read_audit_line(before.substr(before.rfind('\n') + 1));
    if (line.has_value()) previous = line->hash;
    // Where lines are signed, a checkpoint is behind it.
    is_stop |= line.has_value() && line->event == audit_event::stop && is_checkpoint;
  }
  if (!previous || AuditHasher().hash(*previous, last->covered) != last->hash)
    return fail("ends with a line whose hash does not follow from the line before it" + std::string(what_to_do));
  return LastLine{{last->seq, last->hash}, is_stop, is_checkpoint};
}

}  // namespace

Result<AuditFile> AuditFile::open(const std::filesystem::path& path, AuditSyncs syncs) {
  AuditFile file(std::filesystem::absolute(path), syncs);
  const auto named = [&](const Error& error) { return fail(path.string() + ": " + error.message); };
  if (const auto locked = file.lock(); locked.has_error()) return named(locked.error());
  if (const auto opened = file.open_current(); opened.has_error()) return named(opened.error());
  if (const auto found = file.find_head(); found.has_error()) return named(found.error());
  return file;
}

Result<> AuditFile::lock() {
  // O_NONBLOCK, because whoever has a lease of it would be waited for.
  auto lock = open_file(lock_path(), O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, for_owner);
  if (!lock && errno == EWOULDBLOCK)
    return fail("cannot be locked by " + lock_path().string() + ": another program has a lease of it; end that one");
  if (!lock) return fail("cannot be locked: " + last_error() + "; its folder must be there, and this user's to write");
  if (const auto regular = identity_of_regular_file(lock); regular.has_error())
    return fail("cannot be locked by " + lock_path().string() + ": " + regular.error().message + "; remove it");
  if (uninterrupted([&] { return ::flock(lock.get(), LOCK_EX | LOCK_NB); }) != 0) {
    return fail(errno == EWOULDBLOCK ? "another host writes it; name another file as [audit] file"
                                     : "cannot be locked: " + last_error());
  }
  lock_ = std::move(lock);
  return {};
}

Result<> AuditFile::open_current() {
  file_ = open_file(path_, O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, for_owner);
  if (!file_) return fail("cannot be written: " + last_error());
  if (const auto regular = identity_of_regular_file(file_); regular.has_error()) return regular.error();
  if (const auto protection = check_owner_only(file_); protection.has_error()) return protection.error();
  size_ = size_of(file_);
  synced_size_ = size_;
  synced_head_ = head_;
  begin_ = std::chrono::system_clock::now();
  is_new_ = size_ == 0;
  return {};
}

Result<> AuditFile::find_head() {
  const auto from = size_ - std::min(size_, end_to_read);
  const auto text = read_part(file_, from, size_);
  if (text.has_error()) return text.error();
  const auto whole = text->rfind('\n') + 1;  // 0: there is no whole line
  // Of an empty file there is nothing to bring there. A last line that says that the host has ended was written when
  // all before it was there: what may be lost is that line, and the checkpoint behind it, of a host that was killed
  // then.
  bool is_on_disk = size_ == 0;
  if (whole == 0 && from > 0) return fail(std::string("is no audit log") + what_to_do);
  if (whole > 0) {
    const auto last = last_of(std::string_view(*text).substr(0, whole));
    if (last.has_error()) return last.error();
    head_ = last->head;
    found_checkpoint_ = last->is_checkpoint;
    is_on_disk = last->is_stop;
    const auto beginning = read_part(file_, 0, std::min(size_, std::uint64_t{max_audit_line}));
    if (beginning.has_error()) return beginning.error();
    const auto first = read_audit_line(std::string_view(*beginning).substr(0, beginning->find('\n')));
    if (first.has_error()) return fail("begins with a line that is none: " + first.error().message + what_to_do);
    first_seq_ = first->seq;
    begin_ = read_audit_time(first->time).value_or(begin_);
  } else if (const auto files = older(); !files.empty()) {
    const auto before = open_to_read(files.back());
    const auto size = size_of(before);
    const auto end = read_part(before, size - std::min(size, end_to_read), size);
    const auto last =
        end.has_error() || !end->ends_with('\n') ? Result<LastLine>(fail("does not end with a line")) : last_of(*end);
    if (last.has_error()) return fail("goes on with what " + files.back().string() + " " + last.error().message);
    head_ = last->head;
    found_checkpoint_ = last->is_checkpoint;
    first_seq_ = head_.seq + 1;
  }
  synced_head_ = head_;
  if (whole < text->size()) {
    is_on_disk = false;
    auto moved = move_torn_away(std::string_view(*text).substr(whole), from + whole);
    if (moved.has_error()) return moved;
  }
  if (is_on_disk) return {};
  // Its name in the folder may not be there either, where the host before was killed before its first sync.
  is_new_ = true;
  return sync();
}

// First there is the copy, so that nothing is lost whenever this host is killed.
Result<> AuditFile::move_torn_away(std::string_view torn, std::uint64_t whole) {
  const auto cannot = [&] { return fail("ends with a part of a line that cannot be moved away: " + last_error()); };
  // The same line may have been torn before.
  FileDescriptor copy;
  for (unsigned number = 1; !copy; ++number) {
    const auto name = "torn-" + numbered(head_.seq + 1) + (number == 1 ? "" : "-" + std::to_string(number));
    torn_ = {torn.size(), beside(name + "." + path_.filename().string())};
    copy = open_file(torn_.file, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, for_owner);
    if (!copy && errno != EEXIST) return cannot();
  }
  if (!write_all(copy, torn) || ::fsync(copy.get()) != 0) {
    auto failed = cannot();
    ::unlink(torn_.file.c_str());  // so that those who try again and again do not leave one each time
    return failed;
  }
  sync_folder();
  if (::ftruncate(file_.get(), static_cast<::off_t>(whole)) != 0 || ::fsync(file_.get()) != 0) return cannot();
  size_ = whole;
  return {};
}

Result<> AuditFile::append(std::string_view lines, const AuditHead& head) {
  if (auto cut = cut_off_rest(); cut.has_error()) return cut;
  if (!write_all(file_, lines)) {
    auto failed = last_failure();
    has_rest_ = true;
    static_cast<void>(cut_off_rest());  // the next one tries it again
    return failed;
  }
  size_ += lines.size();
  head_ = head;
  return {};
}

Result<> AuditFile::cut_off_rest() {
  if (has_rest_ && ::ftruncate(file_.get(), static_cast<::off_t>(size_)) != 0) return last_failure();
  has_rest_ = false;
  return {};
}

Result<> AuditFile::sync() {
  is_new_ = is_new_ && !sync_folder();
  if (!is_new_ && syncs_.file(file_.get()) == 0) {
    synced_head_ = head_;
    synced_size_ = size_;
    return {};
  }
  auto failed = last_failure();
  head_ = synced_head_;
  size_ = synced_size_;
  has_rest_ = true;
  return failed;
}

Result<> AuditFile::rotate(unsigned keep) {
  const auto aside = beside(path_.filename().string() + "." + numbered(first_seq_));
  if (std::rename(path_.c_str(), aside.c_str()) != 0) return last_failure();
  auto before = std::exchange(file_, {});
  if (auto opened = with_what_memory_there_is([this] { return open_current(); }); opened.has_error()) {
    // The lines go on in the file that there is.
    std::rename(aside.c_str(), path_.c_str());
    file_ = std::move(before);
    size_ = size_of(file_);
    synced_size_ = size_;
    return opened;
  }
  first_seq_ = head_.seq + 1;
  if (keep > 0) static_cast<void>(with_what_memory_there_is([&] { return remove_older(keep); }));
  return {};
}

// What is left the next rotation removes.
Result<> AuditFile::remove_older(unsigned keep) const {
  auto files = older();
  files.resize(files.size() - std::min<std::size_t>(files.size(), keep));
  std::error_code ignored;
  for (const auto& file : files)
    std::filesystem::remove(file, ignored);
  return {};
}

bool AuditFile::is_removed() const {
  return !is_at(path_, file_);
}

bool AuditFile::is_elsewhere() const {
  return !has_no_name(file_);
}

Result<> AuditFile::begin_anew(const AuditHead& last) {
  auto before = std::exchange(file_, {});
  const auto size_before = size_;
  auto opened = with_what_memory_there_is([this]() -> Result<> {
    if (auto current = open_current(); current.has_error()) return current;
    if (size_ > 0) return fail_for_now("another file has its place; move that away");
    return is_at(lock_path(), lock_) ? Result<>() : lock();
  });
  if (opened.has_error()) {
    file_ = std::move(before);
    size_ = synced_size_ = size_before;
    return opened;
  }
  head_ = synced_head_ = last;
  first_seq_ = last.seq + 1;
  has_rest_ = false;
  return {};
}

std::vector<std::filesystem::path> AuditFile::older() const {
  std::vector<std::filesystem::path> files;
  const auto beginning = path_.filename().string() + ".";
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder_, error)) {
    const auto name = entry.path().filename().string();
    if (name.starts_with(beginning) && is_number(std::string_view(name).substr(beginning.size())))
      files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

// A file that has just been made is found after a crash of the system only if its folder is on the disk.
bool AuditFile::sync_folder() const {
  const auto folder = open_file(folder_, O_RDONLY | O_DIRECTORY);
  return folder && syncs_.folder(folder.get()) == 0;
}

}  // namespace mcph
