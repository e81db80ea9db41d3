#include "shared/file_lock.hpp"

#include <cerrno>
#include <fcntl.h>
#include <sys/file.h>

#include "shared/file_error.hpp"

namespace plugins {
namespace {

Descriptor lock_file(const std::string& name) {
  Descriptor file(::open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (!file.is_open()) throw FileError(errno);
  return file;
}

}  // namespace

std::optional<FileLock> FileLock::try_take(const std::string& file_name) {
  auto file = lock_file(file_name);
  // Of the open file, so that also two versions in one process exclude each other.
  if (::flock(file.get(), LOCK_EX | LOCK_NB) == 0) return FileLock(std::move(file));
  if (errno == EWOULDBLOCK) return std::nullopt;
  throw FileError(errno);
}

FileLock FileLock::share(const std::string& file_name) {
  auto file = lock_file(file_name);
  while (::flock(file.get(), LOCK_SH) != 0) {
    if (errno != EINTR) throw FileError(errno);
  }
  return FileLock(std::move(file));
}

}  // namespace plugins
