// AddressRules: which addresses may be connected to: those of the public internet, and those that the configuration
// names. Asked of each address that is about to be connected to, after names have been resolved, so that no name, no
// redirect and no change of a name leads anywhere else. An immutable value; any number of threads may ask.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

struct sockaddr;

namespace plugins::http {

// As IPv6; an IPv4 address is ::ffff:a.b.c.d.
using Address = std::array<std::uint8_t, 16>;

struct AddressRange {
  Address address;
  unsigned bits;  // of the 128 that count

  bool has(const Address& other) const;
};

// "192.0.2.7", "10.0.0.0/8", "fd00::/8". Nothing if it is none.
std::optional<AddressRange> parse_range(std::string_view text);

class AddressRules {
 public:
  // Throws std::invalid_argument for what is no range.
  explicit AddressRules(const std::vector<std::string>& allowed);

  bool allow(const sockaddr& address) const;
  bool allow(const Address& address) const;

 private:
  std::vector<AddressRange> allowed_;
};

}  // namespace plugins::http
