// While an object of this class lives, no thread can be started: std::thread throws as where the system has none left.
#pragma once

#include <cstddef>
#include <pthread.h>

namespace mcph::test {

class NoThreads {
 public:
  NoThreads() {
    ::pthread_getattr_default_np(&usual_);
    auto attributes = usual_;
    // More than there are addresses, and so more than any stack that is kept for another thread.
    constexpr std::size_t stack = std::size_t{1} << 48;
    ::pthread_attr_setstacksize(&attributes, stack);
    ::pthread_setattr_default_np(&attributes);
  }
  ~NoThreads() {
    ::pthread_setattr_default_np(&usual_);
    ::pthread_attr_destroy(&usual_);
  }
  NoThreads(const NoThreads&) = delete;
  NoThreads& operator=(const NoThreads&) = delete;

 private:
  pthread_attr_t usual_{};
};

}  // namespace mcph::test
