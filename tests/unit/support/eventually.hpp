// Waits for what another thread is about to do: as short as possible, and long only where a test is about to fail.
#pragma once

#include <chrono>
#include <thread>

namespace mcph::test {

inline constexpr std::chrono::seconds patience{20};

template <class Condition>
bool eventually(Condition condition) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

}  // namespace mcph::test
