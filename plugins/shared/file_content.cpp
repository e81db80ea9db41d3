#include "shared/file_content.hpp"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <unistd.h>

#include "shared/file_error.hpp"

namespace plugins {
namespace {

FileError too_large(std::uint64_t size, std::uint64_t max_size) {
  return {EFBIG, "has " + std::to_string(size) + " bytes; the limit is " + std::to_string(max_size)};
}

// 0 at the end of the file.
std::size_t read_some(const Descriptor& file, char* buffer, std::size_t size) {
  for (;;) {
    const ssize_t count = ::read(file.get(), buffer, size);
    if (count >= 0) return static_cast<std::size_t>(count);
    if (errno != EINTR) throw FileError(errno);
  }
}

}  // namespace

struct stat status_of(const Descriptor& file) {
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) throw FileError(errno);
  return status;
}

void require_regular(const struct stat& status) {
  if (S_ISDIR(status.st_mode)) throw FileError(EISDIR);
  if (!S_ISREG(status.st_mode)) throw FileError(ENXIO);
}

std::string read_content(const Descriptor& file, std::uint64_t max_size) {
  const auto expected = static_cast<std::uint64_t>(status_of(file).st_size);
  if (expected > max_size) throw too_large(expected, max_size);
  std::string content;
  std::size_t used = 0;
  for (;;) {
    // One byte more than expected, so that the end is seen without growing again. Files of /proc have a size of 0.
    content.resize(std::max<std::size_t>(used + 4096, static_cast<std::size_t>(expected) + 1));
    const std::size_t count = read_some(file, content.data() + used, content.size() - used);
    used += count;
    if (used > max_size) throw too_large(used, max_size);
    if (count == 0) break;
  }
  content.resize(used);
  return content;
}

std::string read_file(const std::string& path, std::uint64_t max_size) {
  // Not to wait for the writer of a pipe.
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file.is_open()) throw FileError(errno);
  require_regular(status_of(file));
  return read_content(file, max_size);
}

void write_content(const Descriptor& file, std::string_view content) {
  while (!content.empty()) {
    const ssize_t count = ::write(file.get(), content.data(), content.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw FileError(errno);
    content.remove_prefix(static_cast<std::size_t>(count));
  }
}

}  // namespace plugins
