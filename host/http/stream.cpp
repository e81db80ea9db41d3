#include "http/stream.hpp"

#include <cerrno>
#include <sys/socket.h>

#include <boost/asio/error.hpp>

namespace mcph {

std::tuple<boost::system::error_code, std::size_t> send_now(HttpSocket& socket, boost::asio::const_buffer bytes) {
  for (;;) {
    const auto count = ::send(socket.native_handle(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count >= 0) return {boost::system::error_code(), static_cast<std::size_t>(count)};
    if (errno == EAGAIN) return {boost::asio::error::would_block, 0};
    if (errno != EINTR) return {boost::system::error_code(errno, boost::system::system_category()), 0};
  }
}

bool at_end(HttpSocket& socket) {
  char first = 0;
  const auto count = ::recv(socket.native_handle(), &first, 1, MSG_PEEK | MSG_DONTWAIT);
  return count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR);
}

}  // namespace mcph
