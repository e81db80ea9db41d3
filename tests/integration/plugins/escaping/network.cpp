#include <arpa/inet.h>
#include <array>
#include <cstddef>
#include <cstring>
#include <fcntl.h>
#include <linux/vm_sockets.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "attempts.hpp"

namespace escaping {
namespace {

struct Socket {
  Socket(int family, int type, int protocol = 0) : descriptor(::socket(family, type | SOCK_CLOEXEC, protocol)) {}
  ~Socket() {
    if (descriptor >= 0) ::close(descriptor);
  }
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;

  int error() const { return descriptor < 0 ? errno : 0; }

  int descriptor;
};

Attempt socket_of(int family, int type, int protocol = 0) {
  return [=](const Aim&) { return Socket(family, type, protocol).error(); };
}

template <class Address>
const sockaddr* as_address(const Address& address) {
  return reinterpret_cast<const sockaddr*>(&address);
}

sockaddr_in loopback(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

// A path, or a name that begins with @ for one that is in no file system.
std::pair<sockaddr_un, socklen_t> local(const std::string& name) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  name.copy(address.sun_path, sizeof address.sun_path - 1);
  if (name.front() == '@') address.sun_path[0] = '\0';
  return {address, static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size())};
}

int connect_to_port(const Aim& aim) {
  const Socket socket(AF_INET, SOCK_STREAM);
  if (socket.descriptor < 0) return socket.error();
  const auto address = loopback(aim.number());
  return error_of(::connect(socket.descriptor, as_address(address), sizeof address));
}

int connect_to_port_6(const Aim& aim) {
  const Socket socket(AF_INET6, SOCK_STREAM);
  if (socket.descriptor < 0) return socket.error();
  sockaddr_in6 address{};
  address.sin6_family = AF_INET6;
  address.sin6_port = htons(static_cast<std::uint16_t>(aim.number()));
  ::inet_pton(AF_INET6, "::ffff:127.0.0.1", &address.sin6_addr);
  return error_of(::connect(socket.descriptor, as_address(address), sizeof address));
}

// Without waiting for an answer: that it is under way is enough.
int connect_to_address(const Aim& aim) {
  const Socket socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK);
  if (socket.descriptor < 0) return socket.error();
  auto address = loopback(443);
  ::inet_pton(AF_INET, aim.path(), &address.sin_addr);
  const int error = error_of(::connect(socket.descriptor, as_address(address), sizeof address));
  return error == EINPROGRESS || error == ENETUNREACH ? 0 : error;
}

int listen_on_port(const Aim&) {
  const Socket socket(AF_INET, SOCK_STREAM);
  if (socket.descriptor < 0) return socket.error();
  const auto address = loopback(0);
  if (::bind(socket.descriptor, as_address(address), sizeof address) != 0) return errno;
  return error_of(::listen(socket.descriptor, 1));
}

int connect_to_itself(const Aim&) {
  const Socket server(AF_INET, SOCK_STREAM);
  const Socket client(AF_INET, SOCK_STREAM);
  if (client.descriptor < 0) return client.error();
  auto address = loopback(0);
  socklen_t size = sizeof address;
  if (::bind(server.descriptor, as_address(address), sizeof address) != 0) return errno;
  if (::listen(server.descriptor, 1) != 0) return errno;
  ::getsockname(server.descriptor, reinterpret_cast<sockaddr*>(&address), &size);
  return error_of(::connect(client.descriptor, as_address(address), sizeof address));
}

int send_datagram(const Aim& aim) {
  const Socket socket(AF_INET, SOCK_DGRAM);
  if (socket.descriptor < 0) return socket.error();
  const auto address = loopback(aim.number());
  return error_of(::sendto(socket.descriptor, "x", 1, 0, as_address(address), sizeof address));
}

int find_name(const Aim& aim) {
  addrinfo* found = nullptr;
  addrinfo hints{};
  hints.ai_family = AF_INET;
  const int error = ::getaddrinfo(aim.path(), "80", &hints, &found);
  if (error != 0) return EACCES;
  ::freeaddrinfo(found);
  return 0;
}

int connect_to_local(const Aim& aim) {
  const Socket socket(AF_UNIX, SOCK_STREAM);
  if (socket.descriptor < 0) return socket.error();
  const auto [address, size] = local(aim.target);
  return error_of(::connect(socket.descriptor, as_address(address), size));
}

int listen_locally(const Aim& aim) {
  const Socket socket(AF_UNIX, SOCK_STREAM);
  if (socket.descriptor < 0) return socket.error();
  const auto [address, size] = local(aim.target);
  return error_of(::bind(socket.descriptor, as_address(address), size));
}

// A connected pair, one end of which is then to talk to somebody else.
int redirect_pair(const Aim& aim, int type) {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, ends.data()) != 0) return errno;
  const auto [address, size] = local(aim.target);
  auto byte = 'x';
  iovec piece{&byte, 1};
  auto copy = address;
  msghdr message{};
  message.msg_name = &copy;
  message.msg_namelen = size;
  message.msg_iov = &piece;
  message.msg_iovlen = 1;
  const int error = error_of(::sendmsg(ends[0], &message, MSG_NOSIGNAL));
  ::close(ends[0]);
  ::close(ends[1]);
  return error;
}

int reconnect_host_socket(const Aim& aim) {
  constexpr int host_socket = 3;
  const auto [address, size] = local(aim.target);
  const int error = error_of(::connect(host_socket, as_address(address), size));
  return error == EISCONN || error == EPROTOTYPE ? 0 : error;
}

int send_from_host_socket(const Aim& aim) {
  constexpr int host_socket = 3;
  const auto [address, size] = local(aim.target);
  const int error = error_of(::sendto(host_socket, "", 0, 0, as_address(address), size));
  return error == EISCONN ? 0 : error;
}

int accept_on_host_socket(const Aim&) {
  constexpr int host_socket = 3;
  return refusal_of(::accept(host_socket, nullptr, nullptr));
}

// As many as the system takes. They stay on their way until this process ends.
int send_descriptors_to_nobody(const Aim&) {
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) return errno;
  constexpr std::size_t most = 253;  // of one message
  constexpr int messages = 10;
  auto byte = 'x';
  iovec piece{&byte, 1};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(most * sizeof(int))> control{};
  msghdr message{};
  message.msg_iov = &piece;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  auto* const rights = CMSG_FIRSTHDR(&message);
  rights->cmsg_level = SOL_SOCKET;
  rights->cmsg_type = SCM_RIGHTS;
  rights->cmsg_len = CMSG_LEN(most * sizeof(int));
  const std::array<int, most> descriptors{};  // the first one, again and again
  std::memcpy(CMSG_DATA(rights), descriptors.data(), sizeof descriptors);
  for (int i = 0; i < messages; ++i) {
    if (::sendmsg(ends[0], &message, MSG_NOSIGNAL | MSG_DONTWAIT) < 0) return errno;
  }
  return 0;
}

}  // namespace

Attempts on_the_network() {
  return {
      {"connect to a port", connect_to_port},
      {"connect to a port over IPv6", connect_to_port_6},
      {"connect to an address", connect_to_address},
      {"listen on a port", listen_on_port},
      {"connect to itself", connect_to_itself},
      {"send a datagram", send_datagram},
      {"find an address", find_name},
      {"raw socket", socket_of(AF_INET, SOCK_RAW, IPPROTO_ICMP)},
      {"packet socket", socket_of(AF_PACKET, SOCK_RAW)},
      {"netlink socket", socket_of(AF_NETLINK, SOCK_RAW)},
      {"virtual machine socket", socket_of(AF_VSOCK, SOCK_STREAM)},
      {"local socket", socket_of(AF_UNIX, SOCK_STREAM)},
      {"kernel crypto socket", socket_of(AF_ALG, SOCK_SEQPACKET)},
      {"connect to a local socket", connect_to_local},
      {"listen on a local socket", listen_locally},
      {"redirect a pair of datagram sockets", [](const Aim& aim) { return redirect_pair(aim, SOCK_DGRAM); }},
      {"reconnect the host's socket", reconnect_host_socket},
      {"send elsewhere from the host's socket", send_from_host_socket},
      {"accept on the host's socket", accept_on_host_socket},
      {"send descriptors to nobody", send_descriptors_to_nobody},
  };
}

}  // namespace escaping
