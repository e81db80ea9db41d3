// What an HTTP server is served with. Values.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/ip_address.hpp"

namespace mcph {

struct HttpLimits {
  std::size_t body_bytes = std::size_t{4} << 20;
  std::uint32_t header_bytes = 32 << 10;
  // Of the bodies and answers of all clients together, small ones aside.
  std::size_t buffered_bytes = std::size_t{256} << 20;
  std::size_t connections = 4096;
  // They may use half of the descriptors that those of clients leave, too.
  bool in_reserve = false;
  std::chrono::milliseconds header_time{10'000};  // from a request's first byte to the end of its headers
  std::chrono::milliseconds body_time{30'000};    // from there to the end of its body
  std::chrono::milliseconds idle_time{120'000};   // of a connection between requests
  std::chrono::milliseconds write_time{30'000};   // of one write to a client that does not read
  std::chrono::milliseconds heartbeat{15'000};    // between signs of life on a quiet stream
};

struct HttpAddress {
  std::string address = "127.0.0.1";  // empty: nowhere
  std::uint16_t port = 8080;          // 0: any free one

  bool is_none() const { return address.empty(); }
  // Nobody reaches it from another machine.
  bool is_loopback() const {
    const auto ip = IpAddress::read(address);
    return is_none() || (ip && ip->is_loopback());
  }

  // "127.0.0.1:8080", "[::1]:8080", "none"
  std::string authority() const {
    if (is_none()) return "none";
    return (address.find(':') == std::string::npos ? address : "[" + address + "]") + ":" + std::to_string(port);
  }
};

struct HttpOptions {
  HttpAddress listen = {};
  std::filesystem::path unix_socket = {};  // besides; empty: there is none
  // Descriptors of sockets that listen already, instead of both. They become the server's.
  std::vector<int> inherited = {};
  std::string_view listen_option = "--listen";  // that sets it, for messages
  HttpLimits limits = {};
  // That a client has a good certificate is what admits it, and says no more of it: with the certificate what it has
  // open ends.
  bool certificates_admit = false;
};

}  // namespace mcph
