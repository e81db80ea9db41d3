#include "stores/file_store.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <exception>
#include <fcntl.h>
#include <new>
#include <sys/file.h>
#include <sys/stat.h>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <utility>

#include "base/base64.hpp"
#include "base/json.hpp"
#include "base/json_text.hpp"
#include "base/regular_file.hpp"
#include "base/sha256.hpp"

namespace mcph {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view format = "mcp-plugin-host store 1";
constexpr std::size_t check_digits = 16;
constexpr std::chrono::seconds lock_patience{5};
constexpr std::chrono::milliseconds lock_interval{5};
// A file is written anew when it has more than so many bytes for each that it needs, and more than the least.
constexpr std::size_t past_factor = 4;
constexpr std::size_t min_past = std::size_t{64} << 10;
constexpr std::size_t bytes_of_record = 128;  // about, beside its key and its value

// No link is followed. Whoever has a lease of the file is asked by this to give it back, and has as long for that as
// whoever holds the lock.
FileDescriptor open_carefully(const fs::path& path, int flags, mode_t mode = 0) {
  const auto end = std::chrono::steady_clock::now() + lock_patience;
  for (;;) {
    auto file = open_file(path, flags | O_NOFOLLOW | O_NONBLOCK, mode);
    if (file || errno != EWOULDBLOCK || std::chrono::steady_clock::now() >= end) return file;
    std::this_thread::sleep_for(lock_interval);
  }
}

std::string line_of(const Json& record) {
  const auto text = dump(record);
  Sha256 digest;
  digest.add(text.data(), text.size());
  return digest.hex().substr(0, check_digits) + " " + text + "\n";
}

std::string line_of(const std::string& key, std::uint64_t revision, const std::string* value) {
  Json record{{"key", key}, {"revision", revision}};
  if (value != nullptr) record["value"] = base64_encode(*value);
  return line_of(record);
}

// Nothing: it is no whole record. The line has no end.
std::optional<Json> record_of(std::string_view line) {
  if (line.size() <= check_digits || line[check_digits] != ' ') return std::nullopt;
  const auto text = line.substr(check_digits + 1);
  Sha256 digest;
  digest.add(text.data(), text.size());
  if (digest.hex().substr(0, check_digits) != line.substr(0, check_digits)) return std::nullopt;
  auto record = parse_json(text);
  if (record.has_error()) return std::nullopt;
  return *std::move(record);
}

// A number that no earlier file of the plugin has had, which may have been taken away.
std::uint64_t first_revision() {
  using std::chrono::microseconds;
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(std::chrono::duration_cast<microseconds>(now).count());
}

Error cannot(std::string_view what, const fs::path& file) {
  return fail_for_now(file.string() + " cannot be " + std::string(what) + ": " + last_error());
}

Result<std::string> read_from(const FileDescriptor& file, std::size_t begin, std::size_t end, const fs::path& path) {
  std::string text(end - begin, '\0');
  for (std::size_t done = 0; done < text.size();) {
    const auto count = uninterrupted([&] {
      return ::pread(file.get(), text.data() + done, text.size() - done, static_cast<::off_t>(begin + done));
    });
    if (count <= 0) return cannot("read", path);
    done += static_cast<std::size_t>(count);
  }
  return text;
}

StoreAnswer failed(const Error& error) {
  return {StoreStatus::failed, "the plugin's values cannot be used now: " + error.message};
}

}  // namespace

void FileStore::Content::put(const std::string& key, Entry entry) {
  erase(key);
  bytes += key.size() + entry.value.size();
  last_revision = std::max(last_revision, entry.revision);
  entries.emplace(key, std::move(entry));
}

void FileStore::Content::erase(const std::string& key) {
  const auto found = entries.find(key);
  if (found == entries.end()) return;
  bytes -= key.size() + found->second.value.size();
  entries.erase(found);
}

FileStore::FileStore(fs::path file, Log& log) : file_(std::move(file)), log_(log) {}

StoreAnswer FileStore::perform(const StoreOperation& operation, const StoreLimits& limits) {
  if (auto invalid = check(operation)) return *std::move(invalid);
  const MutexLock guard(mutex_);
  try {
    return perform_locked(operation, limits);
  } catch (...) {
    content_ = {};  // it may have what the file has not
    throw;
  }
}

StoreAnswer FileStore::perform_locked(const StoreOperation& operation, const StoreLimits& limits) {
  using Kind = StoreOperation::Kind;
  const bool changes = operation.kind == Kind::put || operation.kind == Kind::erase;
  if (changes || !is_current()) {
    const auto held = lock();
    if (held.has_error()) return not_done(held.error());
    if (const auto fresh = refresh(); fresh.has_error()) return not_done(fresh.error());
    if (changes) {
      auto changed = change(operation, limits);
      if (changed.has_value()) return *std::move(changed);
      // What the file says now, the next operation finds out.
      content_ = {};
      return not_done(changed.error());
    }
  }
  return operation.kind == Kind::get ? get(operation.key) : list(operation.key);
}

StoreAnswer FileStore::not_done(const Error& why) {
  if (!std::exchange(told_of_failure_, true))
    log_.error("store cannot be used", {{"file", file_.string()}, {"reason", why.message}});
  return failed(why);
}

StoreAnswer FileStore::get(const std::string& key) const {
  const auto found = content_.entries.find(key);
  if (found == content_.entries.end()) return {StoreStatus::absent};
  return {StoreStatus::done, found->second.value, found->second.revision};
}

StoreAnswer FileStore::list(const std::string& prefix) const {
  auto keys = Json::array();
  for (auto each = content_.entries.lower_bound(prefix); each != content_.entries.end(); ++each) {
    if (!each->first.starts_with(prefix)) break;
    keys.push_back(each->first);
  }
  return {StoreStatus::done, dump(keys)};
}

Result<StoreAnswer> FileStore::change(const StoreOperation& operation, const StoreLimits& limits) {
  const auto& [kind, key, value, if_revision] = operation;
  const auto found = content_.entries.find(key);
  const auto revision = found == content_.entries.end() ? 0 : found->second.revision;
  if (if_revision != any_revision && if_revision != revision) return StoreAnswer{StoreStatus::changed, {}, revision};
  const bool puts = kind == StoreOperation::Kind::put;
  if (!puts && revision == 0) return StoreAnswer{StoreStatus::absent};
  if (puts) {
    if (auto full = why_full(operation, limits)) return *std::move(full);
  }
  const bool is_new = content_.inode == 0;
  const auto next = is_new ? first_revision() : content_.last_revision + 1;
  if (puts) {
    content_.put(key, {next, value});
  } else {
    content_.erase(key);
  }
  content_.last_revision = next;
  const auto kept = keep(line_of(key, next, puts ? &value : nullptr));
  if (kept.has_error()) return kept.error();
  told_of_failure_ = false;
  return StoreAnswer{StoreStatus::done, {}, puts ? next : 0};
}

std::optional<StoreAnswer> FileStore::why_full(const StoreOperation& operation, const StoreLimits& limits) const {
  const auto found = content_.entries.find(operation.key);
  const bool is_there = found != content_.entries.end();
  const auto before = is_there ? operation.key.size() + found->second.value.size() : 0;
  const auto after = operation.key.size() + operation.value.size();
  if (!is_there && content_.entries.size() >= limits.keys) {
    return StoreAnswer{StoreStatus::full, "there are " + std::to_string(content_.entries.size()) +
                                              " keys, as many as limits.storeKeys allows"};
  }
  if (after <= before || content_.bytes - before + after <= limits.bytes) return std::nullopt;
  return StoreAnswer{StoreStatus::full, "with it, keys and values would have " +
                                            std::to_string(content_.bytes - before + after) + " bytes, more than the " +
                                            std::to_string(limits.bytes) + " that limits.storeBytes allows"};
}

fs::path FileStore::beside(std::string_view ending) const {
  return file_.native() + std::string(ending);
}

Result<FileDescriptor> FileStore::lock() const {
  const auto path = beside("%lock");
  auto file = open_carefully(path, O_RDWR | O_CREAT, S_IRUSR | S_IWUSR);
  if (!file && errno == ENOENT) {
    std::error_code error;
    fs::create_directories(file_.parent_path(), error);
    ::chmod(file_.parent_path().c_str(), S_IRWXU);
    file = open_carefully(path, O_RDWR | O_CREAT, S_IRUSR | S_IWUSR);
  }
  if (!file) return cannot("opened", path);
  const auto end = std::chrono::steady_clock::now() + lock_patience;
  while (uninterrupted([&] { return ::flock(file.get(), LOCK_EX | LOCK_NB); }) != 0) {
    if (errno != EWOULDBLOCK) return cannot("locked", path);
    if (std::chrono::steady_clock::now() >= end)
      return fail_for_now(path.string() + " is held by another process, which does not let it go");
    std::this_thread::sleep_for(lock_interval);
  }
  return file;
}

bool FileStore::is_current() const {
  struct ::stat status {};
  if (::lstat(file_.c_str(), &status) != 0) return errno == ENOENT && content_.inode == 0;
  return status.st_ino == content_.inode && static_cast<std::size_t>(status.st_size) == content_.read &&
         status.st_mtim.tv_sec == content_.changed.tv_sec && status.st_mtim.tv_nsec == content_.changed.tv_nsec;
}

Result<> FileStore::refresh() {
  if (is_current()) return {};
  const auto file = open_carefully(file_, O_RDWR);
  if (!file && errno == ENOENT) {
    content_ = {};
    return {};
  }
  if (!file) return cannot("opened", file_);
  struct ::stat status {};
  if (::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) {
    content_ = {};
    return fail_for_now(file_.string() + " is no file");
  }
  const auto size = static_cast<std::size_t>(status.st_size);
  if (status.st_ino != content_.inode || size < content_.read) content_ = {};
  const auto first_line = read_from(file, 0, content_.first_line.size(), file_);
  if (first_line.has_error() || *first_line != content_.first_line) content_ = {};
  content_.inode = status.st_ino;
  content_.changed = status.st_mtim;
  const auto news = read_from(file, content_.read, size, file_);
  if (news.has_error() || !take(*news)) {
    content_ = {};
    return news.has_error() ? Result<>(news.error()) : set_aside();
  }
  if (content_.read == size) return {};
  // The beginning of a record whose writer has ended.
  if (::ftruncate(file.get(), static_cast<::off_t>(content_.read)) != 0 || ::fsync(file.get()) != 0 ||
      ::fstat(file.get(), &status) != 0)
    return cannot("written", file_);
  content_.changed = status.st_mtim;
  log_.warning("store cut off",
               {{"file", file_.string()},
                {"bytes", std::to_string(size - content_.read)},
                {"reason", "a process ended while it wrote them, and nobody was told that they are kept"}});
  return {};
}

bool FileStore::take(std::string_view records) {
  bool is_whole = true;
  for (auto end = records.find('\n'); end != std::string_view::npos; end = records.find('\n')) {
    const auto line = records.substr(0, end + 1);
    const auto record = record_of(records.substr(0, end));
    records.remove_prefix(end + 1);
    is_whole = is_whole && record.has_value();
    if (!record) continue;
    if (!is_whole) return false;
    try {
      const auto revision = record->at("revision").get<std::uint64_t>();
      if (content_.read == 0) {
        if (record->at("format") != format) return false;
        content_.first_line = line;
      } else if (const auto value = record->find("value"); value != record->end()) {
        content_.put(record->at("key"), {revision, base64_decode(value->get<std::string>()).value()});
      } else {
        content_.erase(record->at("key"));
      }
      content_.last_revision = std::max(content_.last_revision, revision);
    } catch (const std::bad_alloc&) {
      throw;  // which says nothing of the file
    } catch (const std::exception&) {
      return false;  // it is whole, and yet none of ours
    }
    content_.read += end + 1;
  }
  return content_.read > 0;
}

Result<> FileStore::set_aside() {
  const auto aside = beside(".damaged-" + std::to_string(first_revision()));
  if (::rename(file_.c_str(), aside.c_str()) != 0) return cannot("set aside", file_);
  log_.error("store damaged",
             {{"file", file_.string()},
              {"reason", "it has something in it that no host has written"},
              {"consequence", "the plugin begins without values; what there was lies in " + aside.string()},
              {"next", "put back a copy of the file that is whole, if there is one"}});
  return {};
}

// What has just changed.
Result<> FileStore::keep(const std::string& record) {
  const bool is_new = content_.inode == 0;
  const auto needed = min_past + past_factor * (content_.bytes + bytes_of_record * content_.entries.size());
  if (!is_new && content_.read <= needed) return append(record);
  auto anew = write_anew();
  if (anew.has_value()) {
    told_of_growth_ = false;
    return take_anew(*std::move(anew));
  }
  // On a disk that is full there may be room for the record alone; but not for ever.
  constexpr std::size_t at_most = 4;
  if (is_new || content_.read > at_most * needed) return anew.error();
  if (!std::exchange(told_of_growth_, true))
    log_.warning("store grows", {{"file", file_.string()},
                                 {"reason", "it cannot be written anew without what is old: " + anew.error().message}});
  return append(record);
}

Result<> FileStore::append(const std::string& record) {
  const auto file = open_carefully(file_, O_WRONLY | O_APPEND);
  if (!file) return cannot("opened", file_);
  auto written = write_all(file, record) ? Result<>() : cannot("written", file_);
  struct ::stat status {};
  if (written.has_value() && (::fdatasync(file.get()) != 0 || ::fstat(file.get(), &status) != 0))
    written = cannot("synced", file_);
  if (written.has_value()) {
    content_.changed = status.st_mtim;
    content_.read += record.size();
    return {};
  }
  // What of it is there counts no more than what has not been written. If that fails, too, the next reader decides.
  [[maybe_unused]] const auto cut = ::ftruncate(file.get(), static_cast<::off_t>(content_.read));
  return written;
}

Result<FileStore::Anew> FileStore::write_anew() {
  Anew anew{.first_line = line_of(Json{{"format", format}, {"revision", content_.last_revision}})};
  auto text = anew.first_line;
  for (const auto& [key, entry] : content_.entries)
    text += line_of(key, entry.revision, &entry.value);
  anew.size = text.size();
  const auto path = beside("%new");
  const auto file = open_carefully(path, O_WRONLY | O_CREAT | O_TRUNC, S_IRUSR | S_IWUSR);
  if (!file) return cannot("opened", path);
  auto written = write_all(file, text) ? Result<>() : cannot("written", path);
  if (written.has_value() && (::fsync(file.get()) != 0 || ::fstat(file.get(), &anew.status) != 0))
    written = cannot("synced", path);
  if (written.has_value() && ::rename(path.c_str(), file_.c_str()) != 0) written = cannot("put in its place", path);
  if (written.has_value()) return anew;
  ::unlink(path.c_str());  // others need the room that it takes
  return written.error();
}

Result<> FileStore::take_anew(Anew anew) {
  content_.first_line = std::move(anew.first_line);
  content_.inode = anew.status.st_ino;
  content_.changed = anew.status.st_mtim;
  content_.read = anew.size;
  const auto folder = open_file(file_.parent_path(), O_RDONLY | O_DIRECTORY);
  if (!folder || ::fsync(folder.get()) != 0) return cannot("synced", file_.parent_path());
  return {};
}

}  // namespace mcph
