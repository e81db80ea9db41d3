// A worker as the system has it: a child process in a group of its own, started, signalled, and waited for. What it has
// started ends with it. Any thread; destroying it kills it.
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "base/file_descriptor.hpp"
#include "base/mutex.hpp"
#include "base/result.hpp"
#include "plugin/isolated/process_mark.hpp"

namespace mcph {

// How a worker has ended.
struct WorkerEnd {
  std::string how;         // continues "its process ..."
  bool may_pass = false;   // for a cause that is not the plugin's fault
  bool by_others = false;  // by SIGKILL, which nobody here has sent: the system does that when memory runs out
};

class WorkerProcess {
 public:
  // The descriptors that the worker has: its end of the socket, and where it prints.
  struct Ends {
    FileDescriptor socket;
    FileDescriptor output;
    // Of a program that the worker becomes (WorkerProgram): its standard input and output. Empty: it becomes none.
    FileDescriptor program_input = {};
    FileDescriptor program_output = {};
  };
  // By which numbers it has them.
  static constexpr int socket_number = 3;
  static constexpr int program_input_number = 4;
  static constexpr int program_output_number = 5;

  // Starts the program. On a thread that lives as long as the worker may, because it dies with the thread that started
  // it. `plugin` is what people who list processes see.
  static Result<std::shared_ptr<WorkerProcess>> spawn(const std::filesystem::path& program, const std::string& plugin,
                                                      Ends ends);
  // Of a child of this process that has been started in another way. If it cannot be watched, it is ended.
  static Result<std::shared_ptr<WorkerProcess>> watch(int process);

  WorkerProcess(int process, ProcessMark mark, FileDescriptor end, bool end_takes_signals)
      : process_(process), mark_(mark), end_(std::move(end)), end_takes_signals_(end_takes_signals) {}
  ~WorkerProcess();
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  int id() const { return process_; }
  // Readable when it has ended.
  int end_descriptor() const { return end_.get(); }
  bool has_ended() const;

  // Becomes how it ended, if nothing was said before.
  void explain_end(WorkerEnd end);
  // Ends it at once. `how` becomes how it ended, if it has not ended yet. Empty, for which it takes no memory: it ended
  // by SIGKILL, perhaps because memory ran out.
  void kill(std::string how);
  // Ends one whose connection has ended while its process has not. It may be about to end by itself, and then that is
  // how it ended.
  void kill_without_connection();

  // Asks it to end, by SIGTERM.
  void terminate() const;

  // Stops its threads where they are, and lets them go on.
  void pause() const;
  void resume() const;

  // The processor time that all its threads have used; nothing once it has been waited for.
  std::optional<std::chrono::nanoseconds> cpu_time() const;

  // Whether somebody debugs it, so that it may stand still: neither this process nor what it has started.
  bool is_debugged() const;

  // Of one that has ended: kills what it has started.
  ProcessMark::Ended end_descendants() const;
  // Then, once: waits for it, and tells how it ended.
  WorkerEnd reap();

 private:
  void signal(int number) const;

  const int process_;
  const ProcessMark mark_;
  const FileDescriptor end_;
  const bool end_takes_signals_;  // it is a descriptor of the process
  mutable Mutex mutex_;           // while it is held, the number is the process's own
  bool reaped_ GUARDED_BY(mutex_) = false;
  WorkerEnd explained_ GUARDED_BY(mutex_);
  bool lost_connection_ GUARDED_BY(mutex_) = false;  // and has been killed for that
};

}  // namespace mcph
