// Finds what a worker has started, also what has left its parent, its group and its session, as daemons do. Each
// process has the limits of the one that started it, and one of these, of file locks, has had no effect since
// Linux 2.4.25, so that nobody sets it: its value is the mark. A process that hides on purpose can set it, too. A
// value; any thread.
#pragma once

#include <cstddef>
#include <cstdint>

namespace mcph {

class ProcessMark {
 public:
  // Another one each time.
  ProcessMark();

  // Before the process starts others. Where the system does not allow it, nothing will be found.
  void put_on(int process) const;

  // Whether the process is there and has it, as far as this one may know.
  bool is_on(int process) const;

  struct Ended {
    std::size_t had_left = 0;  // so many had left its group
    bool all = true;           // false: they start others faster than they are found, and some may be left
  };
  // Kills all that have it, but not `process` itself, which has ended and not been waited for.
  Ended end_descendants_of(int process) const;

 private:
  const std::uint64_t value_;
};

}  // namespace mcph
