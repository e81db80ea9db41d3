// What an HTTP server is served with. Values.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

namespace mcph {

struct HttpLimits {
  std::size_t body_bytes = std::size_t{4} << 20;
  std::uint32_t header_bytes = 32 << 10;
  // Of the bodies and answers of all clients together, small ones aside.
  std::size_t buffered_bytes = std::size_t{256} << 20;
  std::size_t connections = 4096;
  std::chrono::milliseconds header_time{10'000};  // from a request's first byte to the end of its headers
  std::chrono::milliseconds body_time{30'000};    // from there to the end of its body
  std::chrono::milliseconds idle_time{120'000};   // of a connection between requests
  std::chrono::milliseconds write_time{30'000};   // of one write to a client that does not read
  std::chrono::milliseconds heartbeat{15'000};    // between signs of life on a quiet stream
};

struct HttpAddress {
  std::string address = "127.0.0.1";
  std::uint16_t port = 8080;  // 0: any free one

  // "127.0.0.1:8080", "[::1]:8080"
  std::string authority() const {
    return (address.find(':') == std::string::npos ? address : "[" + address + "]") + ":" + std::to_string(port);
  }
};

struct HttpOptions {
  HttpAddress listen = {};
  HttpLimits limits = {};
};

}  // namespace mcph
