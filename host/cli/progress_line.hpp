// One line at the bottom of the terminal that says how far a command is, in place of the one before, for as long as
// standard error is a terminal. Owned by a command; any thread.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "base/mutex.hpp"

namespace mcph {

class ProgressLine {
 public:
  ProgressLine();
  // Takes the line away.
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void show(std::string text);
  // The progress of a call. Where there is no terminal it is a line like any other.
  void tell(double progress, double total, std::string_view message);
  // Before something else is written there.
  void clear();

 private:
  const bool is_terminal_;
  Mutex mutex_;
  bool is_there_ GUARDED_BY(mutex_) = false;
};

// "[##########----------]  50 %  5/10  message"; without a total, 0, "5  message".
std::string progress_text(double progress, double total, std::string_view message);

}  // namespace mcph
