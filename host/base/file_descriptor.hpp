// The owner of one POSIX file descriptor, which it closes at its end. Moves and is never copied; lives on whatever
// thread its owner lives on.
#pragma once

#include <fcntl.h>
#include <unistd.h>
#include <utility>

namespace mcph {

class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int descriptor) noexcept : descriptor_(descriptor) {}
  FileDescriptor(FileDescriptor&& other) noexcept : descriptor_(std::exchange(other.descriptor_, none)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    FileDescriptor taken(std::move(other));
    std::swap(descriptor_, taken.descriptor_);
    return *this;
  }
  ~FileDescriptor() {
    if (descriptor_ != none) ::close(descriptor_);
  }

  int get() const { return descriptor_; }
  explicit operator bool() const { return descriptor_ != none; }

 private:
  static constexpr int none = -1;

  int descriptor_ = none;
};

// Where a library has opened it without: programs that a plugin in this process starts from now on do not get it.
// False: errno says why not.
inline bool close_on_exec(int descriptor) {
  return ::fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0;
}

}  // namespace mcph
