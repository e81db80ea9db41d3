// What ends a poll from another thread: a descriptor to poll for beside the others, readable for good once trigger has
// been called. Owned by whoever polls; trigger is for any thread.
#pragma once

#include <cerrno>
#include <fcntl.h>
#include <system_error>
#include <unistd.h>

namespace mcph {

class SelfPipe {
 public:
  // Throws std::system_error if the process has no descriptors left.
  SelfPipe() {
    if (::pipe2(ends_, O_CLOEXEC | O_NONBLOCK) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
  }
  ~SelfPipe() {
    ::close(ends_[0]);
    ::close(ends_[1]);
  }
  SelfPipe(const SelfPipe&) = delete;
  SelfPipe& operator=(const SelfPipe&) = delete;

  int descriptor() const { return ends_[0]; }

  void trigger() const {
    const char byte = 0;
    // A full pipe is readable already.
    [[maybe_unused]] const auto count = ::write(ends_[1], &byte, 1);
  }

 private:
  int ends_[2] = {-1, -1};
};

}  // namespace mcph
