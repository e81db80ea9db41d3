// Landlock, by which a process gives up its own access to files, TCP ports and other processes, for good and for all
// that it starts. Debian 12 has no library for it and a header from before most of it, so the system calls and their
// constants are here, as the kernel's Documentation/userspace-api/landlock.rst has them. Called before any other
// thread begins, because it holds for the calling thread and what that starts.
#pragma once

#include <filesystem>
#include <vector>

#include "base/file_descriptor.hpp"
#include "base/result.hpp"

namespace mcph {

// Of the kernel's Landlock, which tells what it can restrict (plugin/sandbox.hpp); 0: it has none.
int landlock_version();

struct LandlockRules {
  std::vector<std::filesystem::path> read;   // may be read and run, with all below
  std::vector<std::filesystem::path> write;  // may be read and changed, with all below
  FileDescriptor folder = {};                // likewise; opened by the caller, whom its path would not be enough
  bool tcp = true;                           // any of it
  bool abstract_sockets = true;              // of other processes
};

// Nothing else is allowed from now on, as far as the kernel's version restricts it; it has at least one. An error names
// the path that is not there.
Result<> enter_landlock(const LandlockRules& rules);

}  // namespace mcph
