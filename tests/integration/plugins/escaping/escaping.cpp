// A plugin that tries to get out of its sandbox, one attempt a call.
#include <cstring>
#include <string>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

#include <mcp/plugin.hpp>

#include "attempts.hpp"

namespace escaping {
namespace {

const Attempts& all() {
  static const Attempts attempts = [] {
    Attempts merged;
    for (auto some : {on_files(), on_memory(), on_the_network(), on_processes(), on_the_machine()})
      merged.merge(some);
    return merged;
  }();
  return attempts;
}

std::string attempt(const std::string& what, const std::string& target, const std::string& other) {
  const int error = all().at(what)({target, other});
  return error == 0 ? "possible" : std::string("denied: ") + ::strerrorname_np(error);
}

std::string kind_of(int descriptor) {
  struct ::stat status {};
  if (::fstat(descriptor, &status) != 0) return {};
  if (S_ISCHR(status.st_mode)) return "device";
  if (S_ISFIFO(status.st_mode)) return "pipe";
  if (S_ISDIR(status.st_mode)) return "folder";
  if (S_ISREG(status.st_mode)) return "file";
  if (!S_ISSOCK(status.st_mode)) return "event";
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  ::getsockname(descriptor, reinterpret_cast<sockaddr*>(&address), &size);
  return address.ss_family == AF_UNIX ? "local socket" : "network socket";
}

std::vector<std::string> descriptors() {
  constexpr int most = 1024;
  std::vector<std::string> found;
  for (int descriptor = 0; descriptor < most; ++descriptor) {
    if (const auto kind = kind_of(descriptor); !kind.empty()) found.push_back(kind);
  }
  return found;
}

void setup(mcp::Plugin& plugin) {
  plugin.tool("attempt", "Tries to get out.", attempt, mcp::arg("what", "What to try"),
              mcp::arg("target", "With what").default_value(""),
              mcp::arg("other", "And with what else").default_value(""));
  plugin.tool("descriptors", "Says what kinds of descriptors are open, in their order.", descriptors);
}

}  // namespace
}  // namespace escaping

MCP_PLUGIN("escaping", "1.0.0", escaping::setup)
