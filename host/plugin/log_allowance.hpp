// How many lines of a plugin the log takes, so that one that floods it holds up nobody and hides nothing. A value; one
// thread at a time.
#pragma once

#include <chrono>
#include <cstddef>
#include <utility>

namespace mcph {

class LogAllowance {
 public:
  using Clock = std::chrono::steady_clock;

  static constexpr std::size_t lines = 500;  // in a period
  static constexpr std::chrono::milliseconds period{1000};

  // Whether there is room for one more line.
  bool take(Clock::time_point now) {
    if (now - begin_ >= period) {
      begin_ = now;
      taken_ = 0;
      left_out_ = std::exchange(leaving_out_, 0);
    }
    if (taken_ < lines) return ++taken_, true;
    ++leaving_out_;
    return false;
  }
  // How many were left out in the period before; once.
  std::size_t left_out() { return std::exchange(left_out_, 0); }

 private:
  Clock::time_point begin_;
  std::size_t taken_ = 0;
  std::size_t leaving_out_ = 0;
  std::size_t left_out_ = 0;
};

}  // namespace mcph
