#include "worker/own_network.hpp"

#include <cstring>
#include <fcntl.h>
#include <net/if.h>
#include <sched.h>
#include <string>
#include <string_view>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/file_descriptor.hpp"
#include "base/regular_file.hpp"

namespace mcph {
namespace {

bool write_whole(const char* file, const std::string& text) {
  const FileDescriptor opened(::open(file, O_WRONLY | O_CLOEXEC));
  return opened && ::write(opened.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

// The user stays who he is: there is one user in the new namespace, and he has the number that he had.
Result<> enter_own_users_and_network() {
  const auto user = std::to_string(::geteuid());
  const auto group = std::to_string(::getegid());
  if (::unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0) return fail(last_error());
  const auto itself = [](const std::string& number) { return number + " " + number + " 1"; };
  // user_namespaces(7): a group can be mapped only by who cannot change his groups any more.
  if (write_whole("/proc/self/setgroups", "deny") && write_whole("/proc/self/gid_map", itself(group)) &&
      write_whole("/proc/self/uid_map", itself(user))) {
    return {};
  }
  return fail("its users cannot be mapped: " + last_error());
}

Result<> bring_up_loopback() {
  const FileDescriptor socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  ifreq request{};
  std::strncpy(request.ifr_name, "lo", sizeof request.ifr_name - 1);
  request.ifr_flags = IFF_UP;
  if (socket && ::ioctl(socket.get(), SIOCSIFFLAGS, &request) == 0) return {};
  return fail("its loopback cannot be brought up: " + last_error());
}

}  // namespace

Result<> enter_own_network() {
  if (::unshare(CLONE_NEWNET) != 0) {
    if (auto entered = enter_own_users_and_network(); entered.has_error()) return entered;
  }
  return bring_up_loopback();
}

}  // namespace mcph
