// Whether a program can be started by this name. A free function; any thread.
#pragma once

#include <filesystem>

namespace mcph {

// As execvp(3) finds it: a name without a slash in the folders of `path`, which is the value of PATH; null: there is
// none, and the system's own count.
bool is_program(const std::filesystem::path& program, const char* path);

}  // namespace mcph
