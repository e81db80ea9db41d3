// What is written to standard error while an object of this class lives: what a person at the terminal would read.
#pragma once

#include <cstdio>
#include <stdexcept>
#include <string>
#include <unistd.h>

namespace mcph::test {

class StandardErrorCapture {
 public:
  StandardErrorCapture() : file_(std::tmpfile()), original_(::dup(STDERR_FILENO)) {
    if (file_ == nullptr || original_ < 0) throw std::runtime_error("standard error cannot be captured");
    std::fflush(stderr);
    ::dup2(::fileno(file_), STDERR_FILENO);
  }
  ~StandardErrorCapture() {
    std::fflush(stderr);
    ::dup2(original_, STDERR_FILENO);
    ::close(original_);
    std::fclose(file_);
  }
  StandardErrorCapture(const StandardErrorCapture&) = delete;
  StandardErrorCapture& operator=(const StandardErrorCapture&) = delete;

  // Everything so far.
  std::string text() const {
    std::fflush(stderr);
    std::string text;
    char block[4096];
    for (ssize_t count = 0;
         (count = ::pread(::fileno(file_), block, sizeof block, static_cast<off_t>(text.size()))) > 0;)
      text.append(block, static_cast<std::size_t>(count));
    return text;
  }

 private:
  std::FILE* const file_;
  const int original_;
};

}  // namespace mcph::test
