// Where code that may block runs: the calls of plugins in this process; and what takes the host long, which would keep
// clients waiting. Implemented by the threads that serve clients.
#pragma once

#include <cstddef>
#include <functional>
#include <utility>

namespace mcph {

class Executor {
 public:
  virtual ~Executor() = default;

  // [any] Runs the task soon, after this function has returned or on another thread.
  virtual void run(std::function<void()> task) = 0;

  // [any] As run, for the host's own work on a message of so many bytes, above `max_quick_bytes`. A few run at once,
  // the others wait.
  virtual void run_long(std::size_t /*bytes*/, std::function<void()> task) { run(std::move(task)); }

  // [any] As run, for what lets others end: however many tasks block, it runs soon.
  virtual void run_urgently(std::function<void()> task) { run(std::move(task)); }

  // [any] As run_long, for what waits for a disk or another process: only others of its kind wait for it. False: the
  // threads end, and it is not run. What has been taken is run before they do.
  [[nodiscard]] virtual bool run_waiting(std::function<void()> task) {
    run(std::move(task));
    return true;
  }

  // [any] As run, for the host's own quick work, which waits for no other task and does not block: on the I/O context
  // of this thread, if it has one.
  virtual void run_quick(std::function<void()> work) { run(std::move(work)); }

  // A message up to here is worked on by whoever has it.
  static constexpr std::size_t max_quick_bytes = std::size_t{16} << 10;

  // On an I/O context: the host's own work, here and now, which is usually quick. False: it was not, so that by now
  // another thread runs the context, and whoever uses what belongs to the context must post himself there first.
  [[nodiscard]] virtual bool run_here(const std::function<void()>& work) {
    work();
    return true;
  }
};

}  // namespace mcph
