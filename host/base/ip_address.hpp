// Addresses of the Internet Protocol, of both versions, and networks of them. Values; any thread.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace mcph {

// One of IPv4 is kept as the one of IPv6 that it is mapped to (RFC 4291 section 2.5.5.2), so that a client has one
// address, whichever way it comes.
class IpAddress {
 public:
  using Bytes = std::array<std::uint8_t, 16>;

  explicit IpAddress(const Bytes& bytes) : bytes_(bytes) {}
  static IpAddress v4(const std::array<std::uint8_t, 4>& bytes);
  // "192.0.2.1" or "2001:db8::1", without brackets and zone; nothing for any other text.
  static std::optional<IpAddress> read(std::string_view text);

  bool is_v4() const;
  bool is_loopback() const;
  std::string text() const;
  const Bytes& bytes() const { return bytes_; }

  auto operator<=>(const IpAddress&) const = default;

 private:
  Bytes bytes_;
};

class IpNetwork {
 public:
  // Of the one address that nobody has.
  IpNetwork() : first_(IpAddress::Bytes{}), bits_(8 * IpAddress::Bytes{}.size()) {}
  // "10.0.0.0/8", "2001:db8::/32", or one address. Nothing for any other text, and where bits are set behind the
  // prefix.
  static std::optional<IpNetwork> read(std::string_view text);

  bool contains(const IpAddress& address) const;
  std::string text() const;

 private:
  IpNetwork(const IpAddress& first, unsigned bits) : first_(first), bits_(bits) {}

  IpAddress first_;
  unsigned bits_;  // of the form of IPv6
};

}  // namespace mcph
