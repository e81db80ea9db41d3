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

// Less than all with errno.
std::size_t write_as_far_as_possible(const Descriptor& file, std::string_view content) {
  std::size_t written = 0;
  while (written < content.size()) {
    const ssize_t count = ::write(file.get(), content.data() + written, content.size() - written);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) break;
    written += static_cast<std::size_t>(count);
  }
  return written;
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
  if (write_as_far_as_possible(file, content) < content.size()) throw FileError(errno);
}

void append_content(const Descriptor& file, std::string_view content) {
  const auto before = status_of(file).st_size;
  const auto written = write_as_far_as_possible(file, content);
  if (written == content.size()) return;
  const int number = errno;
  const FileError error(number);
  const bool is_last = status_of(file).st_size == before + static_cast<off_t>(written);
  if (is_last && ::ftruncate(file.get(), before) == 0) throw error;
  throw FileError(number, error.what() + ("; " + std::to_string(written)) + " of " + std::to_string(content.size()) +
                              " bytes have been appended");
}

}  // namespace plugins
