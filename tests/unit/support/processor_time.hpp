// What this thread has computed, however busy the machine is with others.
#pragma once

#include <chrono>
#include <ctime>

namespace mcph::test {

inline std::chrono::nanoseconds processor_time() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

}  // namespace mcph::test
