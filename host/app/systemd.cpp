#include "app/systemd.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <utility>

#include "base/file_descriptor.hpp"
#include "base/regular_file.hpp"

namespace mcph {
namespace {

constexpr int first_descriptor = 3;  // SD_LISTEN_FDS_START
constexpr std::uint64_t max_descriptors = 64;

std::string take_variable(const char* name) {
  const char* const value = std::getenv(name);
  std::string taken = value == nullptr ? "" : value;
  ::unsetenv(name);
  return taken;
}

// 0: it is no number.
std::uint64_t number_in(const std::string& text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size() ? number : 0;
}

bool is_this_process(const std::string& id) {
  return number_in(id) == static_cast<std::uint64_t>(::getpid());
}

bool listens(int descriptor) {
  int is_listening = 0;
  int type = 0;
  socklen_t size = sizeof is_listening;
  if (::getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &is_listening, &size) != 0) return false;
  size = sizeof type;
  return ::getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &type, &size) == 0 && type == SOCK_STREAM && is_listening != 0;
}

// Others have peers that are neither of the Internet nor of this machine.
bool is_of_known_family(int descriptor) {
  int family = 0;
  socklen_t size = sizeof family;
  if (::getsockopt(descriptor, SOL_SOCKET, SO_DOMAIN, &family, &size) != 0) return false;
  return family == AF_INET || family == AF_INET6 || family == AF_UNIX;
}

void note_address(int descriptor, InheritedSockets& sockets) {
  union {
    sockaddr any;
    sockaddr_in v4;
    sockaddr_in6 v6;
    sockaddr_un local;
  } address{};
  socklen_t size = sizeof address;
  if (::getsockname(descriptor, &address.any, &size) != 0) return;
  if (address.any.sa_family == AF_INET) {
    const auto ip = IpAddress::v4(std::bit_cast<std::array<std::uint8_t, 4>>(address.v4.sin_addr));
    sockets.addresses.push_back({ip.text(), ntohs(address.v4.sin_port)});
  } else if (address.any.sa_family == AF_INET6) {
    const IpAddress ip(std::bit_cast<IpAddress::Bytes>(address.v6.sin6_addr));
    sockets.addresses.push_back({ip.text(), ntohs(address.v6.sin6_port)});
  } else if (size > offsetof(sockaddr_un, sun_path)) {
    const auto bytes = size - offsetof(sockaddr_un, sun_path);
    const std::string_view name(address.local.sun_path, bytes);
    const bool is_abstract = name.front() == '\0';
    sockets.unix_socket =
        is_abstract ? "@" + std::string(name.substr(1)) : std::string(name.substr(0, name.find('\0')));
  }
}

}  // namespace

SystemdEnvironment SystemdEnvironment::take() {
  SystemdEnvironment taken{.notify_socket = take_variable("NOTIFY_SOCKET"),
                           .watchdog_microseconds = take_variable("WATCHDOG_USEC"),
                           .watchdog_process = take_variable("WATCHDOG_PID"),
                           .listen_descriptors = take_variable("LISTEN_FDS"),
                           .listen_process = take_variable("LISTEN_PID")};
  take_variable("LISTEN_FDNAMES");
  return taken;
}

SystemdNotifier::SystemdNotifier(const SystemdEnvironment& environment) : socket_(environment.notify_socket) {
  const auto& process = environment.watchdog_process;
  if (socket_.empty() || (!process.empty() && !is_this_process(process))) return;
  constexpr std::uint64_t day = 86'400'000'000;
  watchdog_time_ = std::chrono::microseconds(std::min(number_in(environment.watchdog_microseconds), day));
}

void SystemdNotifier::stopping(std::chrono::seconds most) const {
  const auto microseconds = std::chrono::microseconds(most).count();
  send("STOPPING=1\nEXTEND_TIMEOUT_USEC=" + std::to_string(microseconds), std::chrono::seconds(1));
}

bool SystemdNotifier::send(std::string_view state, std::chrono::seconds patience) const {
  sockaddr_un address{};
  if (socket_.empty() || socket_.size() >= sizeof address.sun_path) return false;
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, socket_.data(), socket_.size());
  if (socket_.front() == '@') address.sun_path[0] = '\0';  // the abstract namespace (unix(7))
  const FileDescriptor socket(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + socket_.size());
  const timeval time{.tv_sec = patience.count(), .tv_usec = 0};
  const bool is_bounded = ::setsockopt(socket.get(), SOL_SOCKET, SO_SNDTIMEO, &time, sizeof time) == 0;
  // No time at all would be one without end (socket(7)).
  const int wait = patience.count() > 0 && is_bounded ? 0 : MSG_DONTWAIT;
  return ::sendto(socket.get(), state.data(), state.size(), MSG_NOSIGNAL | wait,
                  reinterpret_cast<const sockaddr*>(&address), size) >= 0;
}

SystemdWatchdog::SystemdWatchdog(EventLoops& loops, const SystemdNotifier& notifier)
    : notifier_(notifier), check_(loops, notifier.watchdog_time() / 2) {
  if (notifier.watchdog_time().count() == 0) return;
  timers_ = std::make_unique<Timers>();
  // The first look, too, because only the timers' thread asks.
  timers_->after(std::chrono::milliseconds(0), [this] { look(); });
}

void SystemdWatchdog::look() {
  // Often enough that it is said in time although an answer is heard of a look later. First, so that a look that fails
  // is not the last one.
  constexpr int looks = 8;
  const auto interval = std::chrono::ceil<std::chrono::milliseconds>(notifier_.watchdog_time() / looks);
  timers_->after(interval, [this] { look(); });
  if (check_.ask()) notifier_.alive();
}

SystemdStatus::SystemdStatus(const SystemdNotifier& notifier, std::function<std::string()> text)
    : notifier_(notifier), text_(std::move(text)) {
  if (!notifier.is_heard()) return;
  timers_ = std::make_unique<Timers>();
  timers_->after(std::chrono::milliseconds(0), [this] { look(); });
}

void SystemdStatus::look() {
  timers_->after(std::chrono::seconds(1), [this] { look(); });
  // What there is no room for is said at a later look.
  if (auto text = text_(); text != said_ && notifier_.status(text)) said_ = std::move(text);
}

Result<InheritedSockets> take_sockets(const SystemdEnvironment& environment) {
  InheritedSockets sockets;
  if (!is_this_process(environment.listen_process)) return sockets;
  const auto count = static_cast<int>(std::min(number_in(environment.listen_descriptors), max_descriptors));
  for (int descriptor = first_descriptor; descriptor < first_descriptor + count; ++descriptor) {
    if (!close_on_exec(descriptor) || !listens(descriptor) || !is_of_known_family(descriptor)) {
      return fail(
          "the descriptor " + std::to_string(descriptor) +
          " that LISTEN_FDS speaks of is no socket of TCP or Unix that listens; give ListenStream= in the .socket "
          "unit");
    }
    sockets.descriptors.push_back(descriptor);
    note_address(descriptor, sockets);
  }
  return sockets;
}

}  // namespace mcph
