#include "shared/temporary_file.hpp"

#include <array>
#include <cerrno>
#include <fcntl.h>
#include <stdio.h>
#include <sys/random.h>
#include <unistd.h>

#include "shared/file_error.hpp"

namespace plugins {
namespace {

constexpr mode_t mode_less_umask = 0666;

std::string random_name() {
  std::array<unsigned char, 12> random{};
  if (::getrandom(random.data(), random.size(), 0) != static_cast<ssize_t>(random.size())) throw FileError(errno);
  std::string name = ".mcp-write-";
  for (const unsigned char byte : random)
    name += static_cast<char>('a' + byte % 26);
  return name;
}

}  // namespace

TemporaryFile::TemporaryFile(const Descriptor& folder)
    : folder_(folder.get()),
      name_(random_name()),
      file_(::openat(folder_, name_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode_less_umask)) {
  if (!file_.is_open()) throw FileError(errno);
}

TemporaryFile::~TemporaryFile() {
  if (!is_renamed_) ::unlinkat(folder_, name_.c_str(), 0);
}

void TemporaryFile::replace(const std::string& name) {
  // Without it, a crash of the machine soon after could leave the new name without content.
  if (::fsync(file_.get()) != 0) throw FileError(errno);
  if (::renameat(folder_, name_.c_str(), folder_, name.c_str()) != 0) throw FileError(errno);
  is_renamed_ = true;
}

}  // namespace plugins
