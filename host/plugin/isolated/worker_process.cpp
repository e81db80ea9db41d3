#include "plugin/isolated/worker_process.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <exception>
#include <fcntl.h>
#include <optional>
#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

#include "base/mutex.hpp"
#include "base/regular_file.hpp"
#include "base/spawn_settings.hpp"
#include "base/version.hpp"
#include "plugin/debugger.hpp"
#include "plugin/isolated/worker_frame.hpp"

namespace mcph {
namespace {

std::string words_for_lost_connection() {
  return "lost its connection to the host; perhaps the plugin closed a descriptor that is not its own";
}

// The error, or 0.
int spawn_worker(pid_t& process, const std::filesystem::path& program, std::string plugin,
                 const WorkerProcess::Ends& ends) {
  SpawnSettings settings;
  settings.print_to(ends.output.get());
  settings.give(ends.socket.get(), WorkerProcess::socket_number);
  int first_closed = WorkerProcess::socket_number + 1;
  if (ends.program_input) {
    settings.give(ends.program_input.get(), WorkerProcess::program_input_number);
    settings.give(ends.program_output.get(), WorkerProcess::program_output_number);
    first_closed = WorkerProcess::program_output_number + 1;
  }
  settings.give_none_from(first_closed);
  settings.stand_alone();
  auto name = program.filename().string();
  auto parent = std::to_string(::getpid());
  std::string build(host_version);
  std::array<char*, 5> arguments{name.data(), parent.data(), build.data(), plugin.data(), nullptr};
  return settings.spawn(process, program.c_str(), arguments.data());
}

// Out of the way of the numbers that the child uses.
FileDescriptor above_those_of_worker(const FileDescriptor& descriptor) {
  return FileDescriptor(::fcntl(descriptor.get(), F_DUPFD_CLOEXEC, WorkerProcess::program_output_number + 1));
}

WorkerEnd end_of(int status) {
  if (WIFEXITED(status) && WEXITSTATUS(status) == lost_connection_status) return {words_for_lost_connection()};
  if (WIFEXITED(status) && WEXITSTATUS(status) == out_of_memory_status) {
    return {"had no memory or descriptor left to answer the host"};
  }
  if (WIFEXITED(status)) return {"exited with status " + std::to_string(WEXITSTATUS(status))};
  const int signal = WTERMSIG(status);
  const char* const name = ::sigabbrev_np(signal);
  if (name == nullptr) return {"was killed by signal " + std::to_string(signal)};
  const auto words = "was killed by SIG" + std::string(name);
  if (signal == SIGKILL) return {words + ", perhaps because memory ran out", false, true};
  return {words + " (" + ::sigdescr_np(signal) + ")"};
}

// Readable when the process has ended. Where the system has no descriptors of processes, as valgrind has none for the
// program that it runs, a thread waits for the end.
struct WatchedEnd {
  FileDescriptor descriptor;
  bool takes_signals = true;
};
WatchedEnd watch_end(int process) {
  FileDescriptor end(static_cast<int>(::syscall(SYS_pidfd_open, process, 0)));
  std::array<int, 2> ends{};
  if (end || errno != ENOSYS || ::pipe2(ends.data(), O_CLOEXEC) != 0) return {std::move(end)};
  FileDescriptor read_end(ends[0]);
  auto write_end = std::make_shared<const FileDescriptor>(ends[1]);
  std::thread([process, write_end = std::move(write_end)] {
    siginfo_t ignored{};
    const auto number = static_cast<id_t>(process);
    uninterrupted([&] { return ::waitid(P_PID, number, &ignored, WEXITED | WNOWAIT); });
  }).detach();
  return {std::move(read_end), false};
}

// Those that have ended while somebody else traces them, such as a debugger at its prompt: nobody can wait for one
// before its tracer lets it go. It keeps its number until then. Nothing here blocks: the end of every other worker
// waits for this lock.
class HeldProcesses {
 public:
  // Of one that has ended. Its status, and nothing if it is held; then it is waited for when that is possible.
  std::optional<int> wait_for(int process) {
    const MutexLock lock(mutex_);
    std::erase_if(held_, [](int each) { return ended(each).has_value(); });
    const auto status = ended(process);
    if (!status) held_.push_back(process);
    return status;
  }

 private:
  static std::optional<int> ended(int process) {
    int status = 0;
    if (uninterrupted([&] { return ::waitpid(process, &status, WNOHANG); }) == 0) return std::nullopt;
    return status;
  }

  Mutex mutex_;
  std::vector<int> held_ GUARDED_BY(mutex_);
};

HeldProcesses& held_processes() {
  static auto* const held = new HeldProcesses;  // what ends with the host may be among its users
  return *held;
}

// Of one that nobody can watch.
Error end_unwatched(int process, const std::string& reason) {
  ::kill(process, SIGKILL);
  uninterrupted([&] { return ::waitpid(process, nullptr, 0); });
  return fail_for_now("a worker cannot be watched: " + reason);
}

}  // namespace

Result<std::shared_ptr<WorkerProcess>> WorkerProcess::spawn(const std::filesystem::path& program,
                                                            const std::string& plugin, Ends ends) {
  ends.socket = above_those_of_worker(ends.socket);
  ends.output = above_those_of_worker(ends.output);
  bool all = ends.socket && ends.output;
  if (ends.program_input) {
    ends.program_input = above_those_of_worker(ends.program_input);
    ends.program_output = above_those_of_worker(ends.program_output);
    all = all && ends.program_input && ends.program_output;
  }
  if (!all) return fail_for_now("no descriptors are left: " + last_error());
  pid_t process = 0;
  if (const int error = spawn_worker(process, program, plugin, ends); error != 0) {
    return fail_for_now("the program " + program.string() + " cannot be started: " + std::strerror(error));
  }
  return watch(process);
}

Result<std::shared_ptr<WorkerProcess>> WorkerProcess::watch(int process) {
  try {
    auto [end, takes_signals] = watch_end(process);
    if (!end) return end_unwatched(process, last_error());
    // Nothing of the plugin runs before the worker is told to load it.
    const ProcessMark mark;
    mark.put_on(process);
    return std::make_shared<WorkerProcess>(process, mark, std::move(end), takes_signals);
  } catch (const std::exception& error) {
    return end_unwatched(process, error.what());
  }
}

WorkerProcess::~WorkerProcess() {
  if (reaped_) return;
  ::kill(-process_, SIGKILL);
  ::kill(process_, SIGKILL);
  pollfd end{end_.get(), POLLIN, 0};
  uninterrupted([&] { return ::poll(&end, 1, -1); });
  // Until it has been waited for, its number is nobody else's.
  mark_.end_descendants_of(process_);
  static_cast<void>(held_processes().wait_for(process_));
}

bool WorkerProcess::has_ended() const {
  pollfd end{end_.get(), POLLIN, 0};
  return ::poll(&end, 1, 0) != 0;
}

void WorkerProcess::explain_end(WorkerEnd end) {
  const MutexLock lock(mutex_);
  if (explained_.how.empty() && !lost_connection_) explained_ = std::move(end);
}

void WorkerProcess::kill(std::string how) {
  if (!has_ended()) explain_end({std::move(how)});
  signal(SIGKILL);
}

void WorkerProcess::kill_without_connection() {
  if (!has_ended()) {
    const MutexLock lock(mutex_);
    lost_connection_ = true;
  }
  signal(SIGKILL);
}

void WorkerProcess::signal(int number) const {
  if (end_takes_signals_) {
    ::syscall(SYS_pidfd_send_signal, end_.get(), number, nullptr, 0);
    return;
  }
  const MutexLock lock(mutex_);
  if (!reaped_) ::kill(process_, number);
}

void WorkerProcess::terminate() const {
  signal(SIGTERM);
}

void WorkerProcess::pause() const {
  signal(SIGSTOP);
}

void WorkerProcess::resume() const {
  signal(SIGCONT);
}

std::optional<std::chrono::nanoseconds> WorkerProcess::cpu_time() const {
  const MutexLock lock(mutex_);
  clockid_t clock{};
  timespec time{};
  if (reaped_ || ::clock_getcpuclockid(process_, &clock) != 0 || ::clock_gettime(clock, &time) != 0)
    return std::nullopt;
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

bool WorkerProcess::is_debugged() const {
  const MutexLock lock(mutex_);
  if (reaped_) return false;
  // A library may have made its parent, the host, its tracer, or let a process of its own trace it.
  const int tracer = tracer_of(process_);
  return tracer != 0 && tracer != ::getpid() && !mark_.is_on(tracer);
}

ProcessMark::Ended WorkerProcess::end_descendants() const {
  // As long as nobody has waited for it, its number is its own.
  ::kill(-process_, SIGKILL);
  return mark_.end_descendants_of(process_);
}

WorkerEnd WorkerProcess::reap() {
  const MutexLock lock(mutex_);
  const auto status = held_processes().wait_for(process_);
  reaped_ = true;
  if (!explained_.how.empty()) return explained_;
  const bool was_killed = !status || (WIFSIGNALED(*status) && WTERMSIG(*status) == SIGKILL);
  if (lost_connection_ && was_killed) return {words_for_lost_connection()};
  return status ? end_of(*status) : WorkerEnd{"ended while a debugger held it"};
}

}  // namespace mcph
