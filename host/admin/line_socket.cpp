#include "admin/line_socket.hpp"

#include <algorithm>
#include <cerrno>
#include <poll.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <utility>

#include "base/regular_file.hpp"

namespace mcph {

Result<LineSocket> LineSocket::connect(const std::filesystem::path& path) {
  constexpr std::chrono::milliseconds patience{10'000};
  constexpr std::chrono::milliseconds interval{5};
  const auto address = local_address(path);
  if (address.has_error()) return address.error();
  auto socket = local_socket();
  if (!socket) return fail("cannot make a socket: " + last_error());
  const auto deadline = Clock::now() + patience;
  int error = 0;
  while ((error = connect_local(socket, *address)) == EAGAIN && Clock::now() < deadline)
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

Result<std::optional<std::string>> LineSocket::read_line(std::size_t most, std::chrono::milliseconds patience,
                                                         std::atomic<bool>* reads) {
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
    if (reads != nullptr) *reads = false;
    const auto readable = wait_for(POLLIN, deadline);
    if (readable.has_error()) return readable.error();
    if (reads != nullptr) *reads = true;
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

}  // namespace mcph
