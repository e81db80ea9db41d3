// What a program that is started gets of this process, and what it does not: for posix_spawn(3). Used by one thread at
// a time, and not beyond the start.
#pragma once

#include <array>
#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <spawn.h>
#include <unistd.h>

namespace mcph {

class SpawnSettings {
 public:
  SpawnSettings() {
    ::posix_spawn_file_actions_init(&actions_);
    ::posix_spawnattr_init(&attributes_);
  }
  ~SpawnSettings() {
    ::posix_spawn_file_actions_destroy(&actions_);
    ::posix_spawnattr_destroy(&attributes_);
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;

  // It reads nothing, and what it prints goes to `output`.
  void print_to(int output) {
    ::posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    give(output, STDOUT_FILENO);
    give(output, STDERR_FILENO);
  }
  void give(int descriptor, int as) { ::posix_spawn_file_actions_adddup2(&actions_, descriptor, as); }
  // It gets none from this number on. To be said last.
  void give_none_from(int first) { ::posix_spawn_file_actions_addclosefrom_np(&actions_, first); }

  void run_in(const std::filesystem::path& folder) {
    ::posix_spawn_file_actions_addchdir_np(&actions_, folder.c_str());
  }

  // A group of its own, which a terminal's signals do not reach, and no signal blocked or ignored. No session of its
  // own: the kernel may give each session the same share of the processors (autogroups), so that a worker would get as
  // much as the host with all that it does, and could not yield to it.
  void stand_alone() {
    sigset_t none;
    sigset_t all;
    ::sigemptyset(&none);
    ::sigfillset(&all);
    ::posix_spawnattr_setpgroup(&attributes_, 0);
    ::posix_spawnattr_setsigmask(&attributes_, &none);
    ::posix_spawnattr_setsigdefault(&attributes_, &all);
    ::posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }

  // It knows no variable of the environment.
  void forget_environment() { has_environment_ = false; }

  // The program is found as a shell finds it. `arguments` begin with its name and end with a null pointer. The error,
  // or 0.
  int spawn(pid_t& process, const char* program, char* const* arguments) const {
    std::array<char*, 1> none{};
    return ::posix_spawnp(&process, program, &actions_, &attributes_, arguments,
                          has_environment_ ? environ : none.data());
  }

 private:
  posix_spawn_file_actions_t actions_{};
  posix_spawnattr_t attributes_{};
  bool has_environment_ = true;
};

}  // namespace mcph
