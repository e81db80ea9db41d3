// One line at the bottom of the terminal that says how far a command is, in place of the one before. Where standard
// error is no terminal, a call still tells its progress, in lines of their own. Owned by a command; any thread.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "base/mutex.hpp"
#include "protocol/calls/progress.hpp"

namespace mcph {

class ProgressLine {
 public:
  ProgressLine();
  // Takes the line away.
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void show(std::string text);
  // The progress of a call. Without a terminal no more of it is told than a client hears; the last is told by clear().
  void tell(double progress, double total, std::string_view message);
  // Before something else is written there.
  void clear();

 private:
  const bool is_terminal_;
  Mutex mutex_;
  bool is_there_ GUARDED_BY(mutex_) = false;
  ProgressAllowance allowance_ GUARDED_BY(mutex_);
  std::string withheld_ GUARDED_BY(mutex_);  // a line; empty: nothing
};

// "[##########----------]  50 %  5/10  message"; without a total, 0, "5  message".
std::string progress_text(double progress, double total, std::string_view message);

}  // namespace mcph
