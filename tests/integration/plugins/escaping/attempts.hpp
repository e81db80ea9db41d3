// What the plugin "escaping" tries. Each attempt is harmless where it succeeds, unless the test says otherwise.
#pragma once

#include <cerrno>
#include <functional>
#include <map>
#include <string>

namespace escaping {

// What the test names: a path, a process, a port.
struct Aim {
  std::string target;
  std::string other;

  int number() const { return std::stoi(target); }
  const char* path() const { return target.c_str(); }
};

// 0 where it was possible, or the error.
using Attempt = std::function<int(const Aim&)>;
using Attempts = std::map<std::string, Attempt>;

Attempts on_files();
Attempts on_memory();
Attempts on_the_network();
Attempts on_processes();
Attempts on_the_machine();

// For a call that does what was tried if it succeeds.
inline int error_of(long result) {
  return result < 0 ? errno : 0;
}

// For a call whose arguments are senseless, so that it does no harm: whether it was refused as such.
inline int refusal_of(long result) {
  if (result >= 0) return 0;
  return errno == EPERM || errno == EACCES || errno == ENOSYS ? errno : 0;
}

}  // namespace escaping
