// A client of a TCP server of this process, byte by byte, on the thread of the test.
#pragma once

#include <algorithm>
#include <arpa/inet.h>
#include <chrono>
#include <cstdint>
#include <poll.h>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <tuple>
#include <unistd.h>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "support/eventually.hpp"

namespace mcph::test {

class RawClient {
 public:
  explicit RawClient(std::uint16_t port) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    // Little, so that an answer need not be long for a client to be slow.
    const int window = 64 * 1024;
    EXPECT_EQ(::setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &window, sizeof window), 0);
    EXPECT_EQ(::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    const timeval timeout{.tv_sec = patience.count(), .tv_usec = 0};
    EXPECT_EQ(::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout), 0);
  }
  ~RawClient() { leave(); }
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;

  void say(const std::string& text) const {
    EXPECT_EQ(::send(socket_, text.data(), text.size(), MSG_NOSIGNAL), static_cast<ssize_t>(text.size()));
  }
  // The same where the server may have closed the connection.
  void try_to_say(std::string_view text) const {
    std::ignore = ::send(socket_, text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  }
  // Everything so far, once it contains `end` from there on, or at the end of the connection or of the patience.
  const std::string& hear(std::string_view end, std::size_t from = 0) {
    const auto deadline = std::chrono::steady_clock::now() + patience;
    char piece[4096];
    while (heard_.find(end, from) == std::string::npos && std::chrono::steady_clock::now() < deadline) {
      const auto count = ::recv(socket_, piece, sizeof piece, 0);
      if (count <= 0) break;
      heard_.append(piece, static_cast<std::size_t>(count));
    }
    return heard_;
  }
  const std::string& hear_until_closed() { return hear(std::string(1, '\0')); }
  // Whether the server has closed the connection without a word.
  bool is_turned_away() const {
    char byte = 0;
    return ::recv(socket_, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
  }
  // Whether something has come that nobody has heard yet.
  bool has_been_told() const {
    char byte = 0;
    return ::recv(socket_, &byte, 1, MSG_PEEK | MSG_DONTWAIT) > 0;
  }
  // Of the last event that was heard.
  std::string last_id() const {
    const auto at = heard_.rfind("id: ");
    return at == std::string::npos ? "" : heard_.substr(at + 4, heard_.find('\n', at) - at - 4);
  }
  // At most so many bytes, 0 at the end, without keeping them.
  std::size_t read(std::size_t most) const {
    std::vector<char> bytes(most);
    return static_cast<std::size_t>(std::max(::recv(socket_, bytes.data(), most, 0), ssize_t{0}));
  }
  // Everything that is on the way, until nothing has come for a while.
  const std::string& hear_all() {
    constexpr int quiet_ms = 20;
    std::string piece(std::size_t{1} << 20, '\0');
    pollfd ready{.fd = socket_, .events = POLLIN, .revents = 0};
    while (::poll(&ready, 1, quiet_ms) > 0) {
      const auto count = ::recv(socket_, piece.data(), piece.size(), 0);
      if (count <= 0) break;
      heard_.append(piece, 0, static_cast<std::size_t>(count));
    }
    return heard_;
  }
  void leave() {
    if (socket_ >= 0) ::close(std::exchange(socket_, -1));
  }

 private:
  int socket_;
  std::string heard_;
};

}  // namespace mcph::test
