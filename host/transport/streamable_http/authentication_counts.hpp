// How requests over HTTP have proven who sends them, and how not: counters. Owned by who assembles the program; any
// thread.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace mcph {

class AuthenticationCounts {
 public:
  enum class Outcome { accepted, nobody, missing, invalid, unavailable };
  static constexpr std::array<std::string_view, 5> names{"accepted", "anonymous", "missing", "invalid", "unavailable"};

  void count(Outcome outcome) { counts_[static_cast<std::size_t>(outcome)].fetch_add(1, std::memory_order_relaxed); }
  std::uint64_t of(std::size_t outcome) const { return counts_.at(outcome).load(std::memory_order_relaxed); }

 private:
  std::array<std::atomic<std::uint64_t>, 5> counts_{};
};

}  // namespace mcph
