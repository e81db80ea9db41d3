#include "shared/rooted_directory.hpp"

#include <cerrno>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "shared/file_content.hpp"
#include "shared/temporary_file.hpp"

namespace plugins {
namespace {

constexpr mode_t permissions = 0777;
constexpr mode_t new_file_mode = 0666;
constexpr int folder_flags = O_PATH | O_DIRECTORY;

// A rename in the middle of a resolution makes the kernel say EAGAIN, which passes; see openat2(2).
constexpr int resolution_attempts = 64;

int open_beneath(int directory, const char* path, int flags, mode_t mode) {
  struct open_how how {};
  how.flags = static_cast<std::uint64_t>(flags | O_CLOEXEC);
  how.mode = mode;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
  for (int attempt = 1;; ++attempt) {
    const auto fd = static_cast<int>(::syscall(SYS_openat2, directory, path, &how, sizeof(how)));
    const bool passes = fd < 0 && (errno == EAGAIN || errno == EINTR);
    if (!passes || attempt == resolution_attempts) return fd;
  }
}

// An old kernel says ENOSYS, and the filter of an old container runtime EPERM. Where EPERM is about the file, going
// step by step says the same once more.
bool has_no_openat2(int error) {
  return error == ENOSYS || error == EPERM;
}

Descriptor checked(int fd) {
  if (fd < 0) throw FileError(errno);
  return Descriptor(fd);
}

// Gives the file that is going to replace `name` its permissions. Throws if `name` is nothing that may be replaced.
void take_over_permissions(const Descriptor& folder, const std::string& name, const Descriptor& file) {
  struct stat status {};
  if (::fstatat(folder.get(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) {
    if (errno == ENOENT) return;
    throw FileError(errno);
  }
  if (S_ISLNK(status.st_mode)) {
    throw FileError(ELOOP, "is a symbolic link, which writing would replace: write to the file that it leads to");
  }
  require_regular(status);
  if (::fchmod(file.get(), status.st_mode & permissions) != 0) throw FileError(errno);
}

}  // namespace

RootedDirectory::RootedDirectory(std::string path, Resolution resolution)
    : path_(std::move(path)), resolution_(resolution) {}

std::optional<FileError> RootedDirectory::why_unreadable() const {
  if (Descriptor(::open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)).is_open()) return std::nullopt;
  const int number = errno;
  FileError error(number);
  if (!error.is_denied()) return error;
  return FileError(number, error.what() + std::string(R"(; in a sandbox, its "read" or "write" must name it)"));
}

std::string RootedDirectory::read(const RelativePath& path, std::uint64_t max_size) const {
  return read_content(open_regular(path, O_RDONLY), max_size);
}

std::optional<struct stat> RootedDirectory::status(const RelativePath& path) const {
  try {
    return status_of(open(path, O_PATH | O_NOFOLLOW));
  } catch (const FileError& error) {
    if (error.is_not_found() || error.is_not_a_folder()) return std::nullopt;
    throw;
  }
}

void RootedDirectory::write(const RelativePath& path, std::string_view content) const {
  if (path.is_empty()) throw FileError(EISDIR);
  const Descriptor folder = open(path.parent(), folder_flags);
  TemporaryFile file(folder);
  take_over_permissions(folder, path.name(), file.descriptor());
  write_content(file.descriptor(), content);
  file.replace(path.name());
}

void RootedDirectory::append(const RelativePath& path, std::string_view content, std::uint64_t max_size) const {
  const Descriptor file = open_regular(path, O_WRONLY | O_APPEND | O_CREAT, new_file_mode);
  const auto size = static_cast<std::uint64_t>(status_of(file).st_size);
  if (size > max_size || content.size() > max_size - size) {
    throw FileError(EFBIG, "would grow to " + std::to_string(size + content.size()) + " bytes; the limit is " +
                               std::to_string(max_size));
  }
  append_content(file, content);
}

void RootedDirectory::make_folders(const RelativePath& path) const {
  Descriptor folder = open_root();
  RelativePath made;
  for (const std::string& name : path.components()) {
    // One component, so this cannot leave the folder. Whether it is a folder, and where, the next open finds out.
    if (::mkdirat(folder.get(), name.c_str(), permissions) != 0 && errno != EEXIST) throw FileError(errno);
    made = made / name;
    folder = open(made, folder_flags);
  }
}

WalkGaps RootedDirectory::walk(const RelativePath& folder, const WalkLimits& limits, const WalkVisitor& visit) const {
  return walk_folder(open(folder, O_RDONLY | O_DIRECTORY), folder, limits, visit);
}

Descriptor RootedDirectory::open_root() const {
  const int fd = ::open(path_.c_str(), folder_flags | O_CLOEXEC);
  if (fd >= 0) return Descriptor(fd);
  const int error = errno;
  throw FileError(error, "is below a root that cannot be opened: " + std::generic_category().message(error));
}

Descriptor RootedDirectory::open(const RelativePath& path, int flags, mode_t mode) const {
  if (resolution_ == Resolution::stepwise) return open_stepwise(path, flags, mode);
  const Descriptor root = open_root();
  const int fd = open_beneath(root.get(), path.text().c_str(), flags, mode);
  if (fd < 0 && has_no_openat2(errno)) return open_stepwise(path, flags, mode);
  return checked(fd);
}

Descriptor RootedDirectory::open_stepwise(const RelativePath& path, int flags, mode_t mode) const {
  const int step_flags = O_NOFOLLOW | O_CLOEXEC;
  Descriptor folder = open_root();
  if (path.is_empty()) return checked(::openat(folder.get(), ".", flags | step_flags, mode));
  const RelativePath above = path.parent();
  for (const std::string& name : above.components())
    folder = checked(::openat(folder.get(), name.c_str(), folder_flags | step_flags));
  return checked(::openat(folder.get(), path.name().c_str(), flags | step_flags, mode));
}

Descriptor RootedDirectory::open_regular(const RelativePath& path, int flags, mode_t mode) const {
  // O_NONBLOCK: opening a pipe would wait for its other end.
  Descriptor file = open(path, flags | O_NONBLOCK | O_NOCTTY, mode);
  require_regular(status_of(file));
  return file;
}

}  // namespace plugins
