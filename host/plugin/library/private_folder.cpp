#include "plugin/library/private_folder.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <random>
#include <string>
#include <string_view>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "base/hexadecimal.hpp"
#include "base/regular_file.hpp"
#include "base/sha256.hpp"
#include "base/utf8.hpp"
#include "plugin/library/bundle.hpp"
#include "plugin/library/library_file.hpp"

namespace mcph {
namespace {

namespace fs = std::filesystem;

constexpr const char* lock_name = "in-use";
// Of the digest, in the name of a copy: for people, because the generation tells copies apart.
constexpr std::size_t digits_in_name = 16;

std::uint64_t random_number() {
  std::random_device device;
  return std::uint64_t{device()} << 32 | device();
}

// --- The folder ---

// Tried, because the file system's flags do not tell what a security module forbids.
bool can_be_mapped_as_code(const FileDescriptor& file) {
  constexpr std::size_t length = 1;  // rounded up to a page; nothing of it is touched
  void* const mapping = ::mmap(nullptr, length, PROT_READ | PROT_EXEC, MAP_PRIVATE, file.get(), 0);
  if (mapping == MAP_FAILED) return false;
  ::munmap(mapping, length);
  return true;
}

// True if we may remove it: its owner is gone. `lock` then holds the folder against everybody else.
bool is_abandoned(const fs::path& folder, FileDescriptor& lock) {
  struct ::stat status {};
  if (::lstat(folder.c_str(), &status) != 0 || !S_ISDIR(status.st_mode) || status.st_uid != ::geteuid()) return false;
  const auto directory = open_file(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  if (directory && ::flock(directory.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) return false;
  lock = open_file(folder / lock_name, O_RDWR | O_NOFOLLOW);
  if (lock) return ::flock(lock.get(), LOCK_EX | LOCK_NB) == 0;
  // Its owner may be about to make the lock, unless it was interrupted long ago.
  constexpr std::chrono::minutes long_ago{1};
  const std::chrono::seconds made{status.st_mtim.tv_sec};
  return errno == ENOENT && std::chrono::system_clock::now().time_since_epoch() - made > long_ago;
}

void remove_abandoned_folders(const fs::path& parent) {
  std::error_code error;
  for (fs::directory_iterator entry(parent, error), end; !error && entry != end; entry.increment(error)) {
    if (!entry->path().filename().native().starts_with(PrivateFolder::prefix)) continue;
    FileDescriptor lock;
    std::error_code ignored;
    if (is_abandoned(entry->path(), lock)) fs::remove_all(entry->path(), ignored);
  }
}

// --- The copy ---

Error changed() {
  return fail_for_now("it changed while it was read; it will be tried again");
}

// Copies the first `size` bytes and returns their digest. One pass of read and write: the digest needs every byte, so
// letting the kernel copy (copy_file_range) saves nothing. What is written at once the file system may keep in one
// piece, which is quicker to write and to map.
Result<std::string> copy_bytes(const FileDescriptor& from, const FileDescriptor& to, std::uint64_t size) {
  // Not filled first, and small enough to stay in a cache.
  std::array<unsigned char, std::size_t{128} * 1024> block;
  Sha256 digest;
  while (size > 0) {
    const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(size, block.size()));
    const auto got = uninterrupted([&] { return ::read(from.get(), block.data(), wanted); });
    if (got < 0) return fail_for_now("it cannot be read: " + last_error());
    if (got == 0) return changed();
    const auto count = static_cast<std::size_t>(got);
    const std::string_view piece(reinterpret_cast<const char*>(block.data()), count);
    if (!write_all(to, piece)) return fail_for_now("its private copy cannot be written: " + last_error());
    digest.add(block.data(), count);
    size -= count;
  }
  return digest.hex();
}

// Short enough that what is appended to it still fits into a file name. Cut between characters of UTF-8, for people.
std::string short_stem(const fs::path& file) {
  constexpr std::size_t max_bytes = 100;
  const auto stem = file.stem().string();
  return std::string(utf8_prefix(stem, max_bytes));
}

// One file of a bundle; its digest.
Result<std::string> copy_file(const fs::path& file, const FileIdentity& seen, const fs::path& target,
                              const PrivateFolder::Check& check) {
  const auto source = open_to_read(file);
  if (!source) return fail_for_now("cannot be opened: " + last_error());
  const auto before = identity_of_regular_file(source);
  if (before.has_error()) return before.error();
  if (*before != seen) return changed();
  if (const auto checked = check(file, source); checked.has_error()) return checked.error();
  std::error_code error;
  fs::create_directories(target.parent_path(), error);
  const auto made = open_file(target, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, S_IRUSR | S_IXUSR);
  if (!made) return fail_for_now("its private copy cannot be made: " + last_error());
  return copy_bytes(source, made, seen.size);
}

}  // namespace

std::vector<fs::path> PrivateFolder::default_parents() {
  std::error_code error;
  auto temporary = fs::temp_directory_path(error);
  std::vector<fs::path> parents{error ? fs::path("/tmp") : std::move(temporary)};
  if (const char* runtime = std::getenv("XDG_RUNTIME_DIR"); runtime != nullptr && *runtime != '\0') {
    parents.emplace_back(runtime);
  }
  parents.emplace_back("/var/tmp");
  if (const auto current = fs::current_path(error); !error) parents.push_back(current / ".cache");
  return parents;
}

Result<PrivateFolder> PrivateFolder::create(const std::vector<fs::path>& parents) {
  std::string reasons;
  for (const auto& parent : parents) {
    remove_abandoned_folders(parent);
    auto folder = create_in(parent);
    if (folder) return folder;
    reasons += (reasons.empty() ? "" : "; ") + parent.string() + ": " + folder.error().message;
  }
  return fail("no folder can hold the private copies of plugin libraries (" + reasons +
              "); set TMPDIR to a folder that can be written and is not mounted noexec");
}

Result<PrivateFolder> PrivateFolder::create_in(const fs::path& parent) {
  std::error_code ignored;
  fs::create_directory(parent, ignored);  // what is wrong with it shows in the next step
  constexpr int attempts = 8;
  for (int attempt = 0; attempt < attempts; ++attempt) {
    const auto name = std::string(prefix) + std::to_string(::getpid()) + '-' + hexadecimal(random_number());
    const auto path = parent / name;
    if (::mkdir(path.c_str(), S_IRWXU) != 0) {
      if (errno == EEXIST) continue;
      return fail("it cannot be written: " + last_error());
    }
    // Where directories cannot be locked, the lock in it is all that there is.
    auto directory = open_file(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    if (directory && ::flock(directory.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) continue;
    auto lock = open_file(path / lock_name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, S_IRUSR | S_IWUSR);
    if (!lock) {
      const auto reason = last_error();
      ::rmdir(path.c_str());
      return fail("it cannot be written: " + reason);
    }
    PrivateFolder folder(path, std::move(directory), std::move(lock));
    if (::flock(folder.lock_.get(), LOCK_EX | LOCK_NB) != 0) {
      if (errno == EWOULDBLOCK) continue;  // another host took it for abandoned before it was locked
      return fail("its files cannot be locked: " + last_error());
    }
    struct ::stat status {};
    if (::fstat(folder.lock_.get(), &status) != 0 || status.st_nlink == 0) continue;  // the same, and it is removed
    if (!can_be_mapped_as_code(folder.lock_)) return fail("its files cannot be mapped as code; is it mounted noexec?");
    return folder;
  }
  return fail("other hosts keep removing what is made in it");
}

PrivateFolder::~PrivateFolder() {
  if (!lock_) return;
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

fs::path PrivateFolder::path() const {
  const MutexLock lock(*mutex_);
  return path_;
}

Result<> PrivateFolder::make_again() {
  auto made = create_in(path_.parent_path());
  if (made.has_error()) {
    return fail_for_now("the folder of private copies, " + path_.string() +
                        ", was removed and cannot be made again: " + made.error().message);
  }
  // What was mapped from the old one stays mapped, and knows its path.
  path_.swap(made->path_);
  std::swap(directory_, made->directory_);
  std::swap(lock_, made->lock_);
  return {};
}

Result<PrivateCopy> PrivateFolder::copy(const fs::path& file) {
  const auto source = open_to_read(file);
  if (!source) return fail_for_now("it cannot be opened: " + last_error());
  return copy(file, source);
}

Result<PrivateFolder::Target> PrivateFolder::make_target(const fs::path& file) {
  const MutexLock lock(*mutex_);
  const auto name = short_stem(file) + '.' + std::to_string(++generation_);
  const auto open = [&]() REQUIRES(*mutex_) {
    return open_file(path_ / (name + ".partial"), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, S_IRUSR | S_IXUSR);
  };
  auto target = open();
  if (!target && errno == ENOENT) {
    if (auto again = make_again(); again.has_error()) return again.error();
    target = open();
  }
  if (!target) return fail_for_now("its private copy cannot be made in " + path_.string() + ": " + last_error());
  return Target{std::move(target), path_ / name};
}

Result<PrivateCopy> PrivateFolder::copy(const fs::path& file, const FileDescriptor& source) {
  const auto before = identity_of_regular_file(source);
  if (!before) return before.error();
  if (before->size > max_library_size) {
    return fail("it has " + std::to_string(before->size) + " bytes, more than the " + std::to_string(max_library_size) +
                " that a plugin may have");
  }

  const auto target = make_target(file);
  if (!target) return target.error();
  PrivateCopy copy(target->stem.string() + ".partial");
  auto digest = copy_bytes(source, target->file, before->size);
  if (!digest) return digest.error();
  const auto after = identity_of_regular_file(source);
  if (!after) return after.error();
  if (*after != *before) return changed();

  auto final_path = target->stem;
  final_path += '.' + digest->substr(0, digits_in_name) + file.extension().string();
  if (::rename(copy.path_.c_str(), final_path.c_str()) != 0) {
    return fail_for_now("its private copy cannot be named " + final_path.string() + ": " + last_error());
  }
  copy.path_ = std::move(final_path);
  copy.digest_ = *std::move(digest);
  copy.source_identity_ = *before;
  return copy;
}

Result<PrivateCopy> PrivateFolder::make_target_folder(const fs::path& bundle) {
  const MutexLock lock(*mutex_);
  const auto name = short_stem(bundle) + '.' + std::to_string(++generation_);
  const auto make = [&]() REQUIRES(*mutex_) { return ::mkdir((path_ / name).c_str(), S_IRWXU) == 0; };
  bool made = make();
  if (!made && errno == ENOENT) {
    if (auto again = make_again(); again.has_error()) return again.error();
    made = make();
  }
  if (!made) return fail_for_now("its private copy cannot be made in " + path_.string() + ": " + last_error());
  PrivateCopy copy({}, path_ / name);
  copy.generation_ = generation_;
  return copy;
}

Result<PrivateCopy> PrivateFolder::copy_bundle(const fs::path& folder, const Check& check) {
  const auto before = list_bundle(folder);
  if (before.refusal) return *before.refusal;
  auto made = make_target_folder(folder);
  if (made.has_error()) return made.error();
  auto copy = *std::move(made);
  Sha256 digest;
  for (const auto& file : before.files) {
    const auto hex = copy_file(folder / file.name, file.identity, copy.bundle_ / file.name, check);
    if (hex.has_error()) {
      auto error = hex.error();
      error.message = "of its file " + file.name.string() + ": " + error.message;
      return error;
    }
    const auto line = *hex + "  " + file.name.string() + "\n";
    digest.add(line.data(), line.size());
  }
  if (list_bundle(folder).identity != before.identity) return changed();

  copy.digest_ = digest.hex();
  copy.source_identity_ = before.identity;
  auto library = library_of_bundle(copy.bundle_, folder.stem().string());
  if (library.has_error()) return library.error();
  copy.path_ = copy.bundle_ / library->file;
  copy.remarks_ = std::move(library->remarks);
  return copy;
}

}  // namespace mcph
