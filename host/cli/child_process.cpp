#include "cli/child_process.hpp"

#include <chrono>
#include <csignal>
#include <cstring>
#include <sys/wait.h>
#include <thread>
#include <tuple>
#include <unistd.h>
#include <utility>

#include "base/spawn_settings.hpp"

namespace mcph {

Result<ChildProcess> ChildProcess::start(const std::vector<std::string>& command, const std::filesystem::path& folder,
                                         int output) {
  SpawnSettings settings;
  settings.run_in(folder);
  settings.print_to(output);
  settings.give_none_from(STDERR_FILENO + 1);
  settings.stand_alone();
  std::vector<char*> arguments;
  arguments.reserve(command.size() + 1);
  for (const auto& word : command)
    arguments.push_back(const_cast<char*>(word.c_str()));  // NOLINT(cppcoreguidelines-pro-type-const-cast)
  arguments.push_back(nullptr);
  pid_t process = 0;
  if (const int error = settings.spawn(process, arguments.front(), arguments.data()); error != 0)
    return fail("cannot run " + command.front() + ": " + std::strerror(error));
  return ChildProcess(process);
}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : process_(std::exchange(other.process_, 0)), status_(other.status_) {}

ChildProcess& ChildProcess::operator=(ChildProcess&& other) noexcept {
  std::swap(process_, other.process_);
  std::swap(status_, other.status_);
  return *this;
}

ChildProcess::~ChildProcess() {
  if (process_ == 0) return;
  constexpr std::chrono::seconds patience(2);
  constexpr std::chrono::milliseconds between_looks(10);
  // The group may outlive its leader; it is gone when nobody is left to be told.
  ::kill(-process_, SIGTERM);
  for (const auto end = std::chrono::steady_clock::now() + patience; std::chrono::steady_clock::now() < end;) {
    std::ignore = status();
    if (::kill(-process_, 0) != 0) return;
    std::this_thread::sleep_for(between_looks);
  }
  ::kill(-process_, SIGKILL);
  if (!status()) ::waitpid(process_, nullptr, 0);
}

std::optional<int> ChildProcess::status() {
  if (status_) return status_;
  int status = 0;
  if (::waitpid(process_, &status, WNOHANG) != process_) return std::nullopt;
  constexpr int signalled = 128;
  status_ = WIFEXITED(status) ? WEXITSTATUS(status) : signalled + WTERMSIG(status);
  return status_;
}

}  // namespace mcph
