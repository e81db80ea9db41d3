// A program that a command runs for its user: what it prints goes to the terminal. Used by one thread at a time.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

#include "base/result.hpp"

namespace mcph {

class ChildProcess {
 public:
  // Starts `command`, found as a shell finds it, in a process group of its own and in that folder. It reads nothing;
  // what it prints goes to `output`.
  static Result<ChildProcess> start(const std::vector<std::string>& command, const std::filesystem::path& folder,
                                    int output);
  // Ends its process group: by SIGTERM, and by SIGKILL what has not heeded that within two seconds.
  ~ChildProcess();
  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&& other) noexcept;

  // Its exit status, or 128 and the signal that has ended it. Nothing: it runs.
  std::optional<int> status();

 private:
  explicit ChildProcess(pid_t process) : process_(process) {}

  pid_t process_;  // the group's, too; 0: it has been moved from
  std::optional<int> status_ = {};
};

}  // namespace mcph
