#include "base/state_folder.hpp"

#include <array>
#include <cstdlib>
#include <pwd.h>
#include <unistd.h>

namespace mcph {
namespace {

// Never one that others may write, where one of them could have put a link.
std::filesystem::path home_folder() {
  if (const char* home = std::getenv("HOME"); home != nullptr && *home == '/') return home;
  ::passwd entry{};
  ::passwd* user = nullptr;
  std::array<char, 16384> texts{};
  ::getpwuid_r(::geteuid(), &entry, texts.data(), texts.size(), &user);
  return user != nullptr && *user->pw_dir == '/' ? user->pw_dir : ".";
}

}  // namespace

std::filesystem::path state_folder() {
  if (const char* state = std::getenv("XDG_STATE_HOME"); state != nullptr && *state == '/') {
    return std::filesystem::path(state) / "mcp-plugin-host";
  }
  return home_folder() / ".local/state/mcp-plugin-host";
}

}  // namespace mcph
