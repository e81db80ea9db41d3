#include "admin/line_socket.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <utility>

#include "base/base64.hpp"
#include "base/random_bytes.hpp"
#include "base/regular_file.hpp"

namespace mcph {
namespace {

Result<sockaddr_un> address_of(const std::filesystem::path& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const auto& text = path.native();
  if (text.size() >= sizeof address.sun_path) {
    return fail("the path " + text + " is too long for a socket, which may have " +
                std::to_string(sizeof address.sun_path - 1) + " bytes");
  }
  std::memcpy(address.sun_path, text.c_str(), text.size() + 1);
  return address;
}

FileDescriptor local_socket() {
  return FileDescriptor(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
}

// 0, or the errno.
int connect_to(const FileDescriptor& socket, const sockaddr_un& address) {
  const auto* const generic = reinterpret_cast<const sockaddr*>(&address);
  return ::connect(socket.get(), generic, sizeof address) == 0 ? 0 : errno;
}

// Under a name that nobody can know, in the folder of `path`, so that it is nobody else's file.
std::filesystem::path name_beside(const std::filesystem::path& path) {
  constexpr std::size_t bytes = 6;
  return path.parent_path() / (".~" + base64url_encode(random_bytes(bytes)));
}

// Who may connect is who may write to it. Nobody can before it listens.
Result<ListeningSocket> bind_at(const std::filesystem::path& path) {
  const auto address = address_of(path);
  if (address.has_error()) return address.error();
  ListeningSocket socket{local_socket()};
  const int own = socket.descriptor.get();
  if (own < 0 || ::bind(own, reinterpret_cast<const sockaddr*>(&*address), sizeof *address) != 0) {
    return fail(last_error());
  }
  struct ::stat status {};
  if (::chmod(path.c_str(), S_IRUSR | S_IWUSR) != 0 || ::listen(own, SOMAXCONN) != 0 ||
      ::lstat(path.c_str(), &status) != 0) {
    auto error = fail(last_error());
    ::unlink(path.c_str());
    return error;
  }
  socket.device = status.st_dev;
  socket.inode = status.st_ino;
  return socket;
}

}  // namespace

Result<LineSocket> LineSocket::connect(const std::filesystem::path& path) {
  constexpr std::chrono::milliseconds patience{10'000};
  constexpr std::chrono::milliseconds interval{5};
  const auto address = address_of(path);
  if (address.has_error()) return address.error();
  auto socket = local_socket();
  if (!socket) return fail("cannot make a socket: " + last_error());
  const auto deadline = Clock::now() + patience;
  int error = 0;
  while ((error = connect_to(socket, *address)) == EAGAIN && Clock::now() < deadline)
    std::this_thread::sleep_for(interval);
  if (error != 0) return fail("no host answers at " + path.string() + ": " + error_words(error));
  return LineSocket(std::move(socket));
}

Result<> LineSocket::wait_for(short events, Clock::time_point deadline) const {
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) return fail("it took too long");
    pollfd watched[] = {{socket_.get(), events, 0}, {stop_, POLLIN, 0}};
    const auto ready = ::poll(watched, 2, static_cast<int>(std::min<std::int64_t>(left, 60'000)));
    if (ready < 0 && errno != EINTR) return fail("poll: " + last_error());
    if (watched[1].revents != 0) return fail("the host is stopping");
    if (ready > 0 && watched[0].revents != 0) return {};
  }
}

Result<std::optional<std::string>> LineSocket::read_line(std::size_t most, std::chrono::milliseconds patience) {
  const auto deadline = Clock::now() + patience;
  for (std::size_t searched = 0;;) {
    const auto end = buffer_.find('\n', searched);
    if (std::min(end, buffer_.size()) > most) {
      return fail("a line of more than " + std::to_string(most) + " bytes");
    }
    if (end != std::string::npos) {
      auto line = buffer_.substr(0, end);
      buffer_.erase(0, end + 1);
      return line;
    }
    searched = buffer_.size();
    const auto readable = wait_for(POLLIN, deadline);
    if (readable.has_error()) return readable.error();
    char bytes[16384];
    const auto count = ::recv(socket_.get(), bytes, sizeof bytes, 0);
    if (count == 0) return std::optional<std::string>();
    if (count < 0 && errno != EAGAIN && errno != EINTR) return fail("the connection is lost: " + last_error());
    if (count > 0) buffer_.append(bytes, static_cast<std::size_t>(count));
  }
}

Result<> LineSocket::write_line(std::string line, std::chrono::milliseconds patience) const {
  line += '\n';
  const auto deadline = Clock::now() + patience;
  for (std::size_t written = 0; written < line.size();) {
    const auto count = ::send(socket_.get(), line.data() + written, line.size() - written, MSG_NOSIGNAL);
    if (count >= 0) {
      written += static_cast<std::size_t>(count);
    } else if (errno == EAGAIN) {
      if (auto writable = wait_for(POLLOUT, deadline); writable.has_error()) return writable;
    } else if (errno != EINTR) {
      return fail("the connection is lost: " + last_error());
    }
  }
  return {};
}

bool LineSocket::peer_may_command() const {
  ucred peer{};
  socklen_t size = sizeof peer;
  if (::getsockopt(socket_.get(), SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return false;
  return peer.uid == ::geteuid() || peer.uid == 0;
}

bool LineSocket::has_unread() const {
  pollfd socket{socket_.get(), POLLIN, 0};
  return ::poll(&socket, 1, 0) > 0;
}

void LineSocket::shut_down() const {
  ::shutdown(socket_.get(), SHUT_RDWR);
}

Result<ListeningSocket> listen_at(const std::filesystem::path& path) {
  if (const auto address = address_of(path); address.has_error()) return address.error();
  struct ::stat status {};
  if (::lstat(path.c_str(), &status) == 0 && !is_stale_socket(path)) {
    return fail(S_ISSOCK(status.st_mode) ? "another host listens at " + path.string()
                                         : path.string() + " is there already, and no socket");
  }
  const auto failed = [&path](const std::string& reason) {
    return fail("cannot listen at " + path.string() + ": " + reason);
  };
  // Under its name it listens from the beginning, so that nobody takes it for one that a dead host has left.
  const auto beside = name_beside(path);
  auto socket = bind_at(beside);
  if (socket.has_error()) return failed(socket.error().message);
  if (::rename(beside.c_str(), path.c_str()) == 0) return socket;
  auto error = failed(last_error());
  ::unlink(beside.c_str());
  return error;
}

bool can_listen_at(const std::filesystem::path& path) {
  return address_of(path).has_value() && address_of(name_beside(path)).has_value();
}

void remove_socket(const std::filesystem::path& path, const ListeningSocket& socket) {
  struct ::stat status {};
  if (::lstat(path.c_str(), &status) != 0) return;
  if (status.st_dev == socket.device && status.st_ino == socket.inode) ::unlink(path.c_str());
}

bool is_stale_socket(const std::filesystem::path& path) {
  struct ::stat status {};
  if (::lstat(path.c_str(), &status) != 0 || !S_ISSOCK(status.st_mode)) return false;
  const auto address = address_of(path);
  const auto socket = local_socket();
  return address.has_value() && socket && connect_to(socket, *address) == ECONNREFUSED;
}

}  // namespace mcph
