#include "http/address_rules.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <charconv>
#include <cstddef>
#include <cstring>
#include <netinet/in.h>
#include <sys/socket.h>

#include "http/settings.hpp"

namespace plugins::http {
namespace {

constexpr std::size_t ipv4_begin = 12;
constexpr unsigned ipv4_prefix = 96;

Address mapped(const void* ipv4) {
  Address address{};
  address[10] = address[11] = 0xff;
  std::memcpy(address.data() + ipv4_begin, ipv4, 4);
  return address;
}

std::vector<AddressRange> parsed(std::initializer_list<const char*> ranges) {
  std::vector<AddressRange> list;
  for (const auto* range : ranges)
    list.push_back(parse_range(range).value());
  return list;
}

// The special-purpose registries of IANA (RFC 6890), multicast, 6to4, which has IPv4 addresses inside, and what tells
// machines at Azure about themselves.
const std::vector<AddressRange>& special_ranges() {
  static const auto ranges = parsed({
      "0.0.0.0/8",        "10.0.0.0/8",      "100.64.0.0/10",  "127.0.0.0/8",    "169.254.0.0/16",
      "172.16.0.0/12",    "192.0.0.0/24",    "192.0.2.0/24",   "192.88.99.0/24", "192.168.0.0/16",
      "198.18.0.0/15",    "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4",    "240.0.0.0/4",
      "168.63.129.16/32", "2001::/23",       "2001:db8::/32",  "2002::/16",      "3fff::/20",
  });
  return ranges;
}

bool is_public(const Address& address) {
  static const auto ipv4 = parse_range("::ffff:0:0/96").value();
  static const auto unicast = parse_range("2000::/3").value();
  static const auto nat64 = parse_range("64:ff9b::/96").value();
  if (nat64.has(address)) return is_public(mapped(address.data() + ipv4_begin));
  if (!ipv4.has(address) && !unicast.has(address)) return false;
  const auto& special = special_ranges();
  return std::none_of(special.begin(), special.end(), [&](const AddressRange& each) { return each.has(address); });
}

}  // namespace

bool AddressRange::has(const Address& other) const {
  for (unsigned bit = 0; bit < bits; bit += 8) {
    const unsigned unused = bits - bit >= 8 ? 0 : 8 - (bits - bit);
    if ((address[bit / 8] ^ other[bit / 8]) >> unused != 0) return false;
  }
  return true;
}

std::optional<AddressRange> parse_range(std::string_view text) {
  const auto slash = text.find('/');
  const std::string address(text.substr(0, slash));
  AddressRange range{};
  const bool is_ipv4 = address.find(':') == std::string::npos;
  std::array<std::uint8_t, 4> ipv4{};
  if (is_ipv4 && ::inet_pton(AF_INET, address.c_str(), ipv4.data()) == 1) {
    range.address = mapped(ipv4.data());
  } else if (is_ipv4 || ::inet_pton(AF_INET6, address.c_str(), range.address.data()) != 1) {
    return std::nullopt;
  }
  const unsigned prefix = is_ipv4 ? ipv4_prefix : 0;
  range.bits = 128;
  if (slash == std::string_view::npos) return range;
  const auto bits = text.substr(slash + 1);
  const auto read = std::from_chars(bits.data(), bits.data() + bits.size(), range.bits);
  if (read.ec != std::errc() || read.ptr != bits.data() + bits.size() || range.bits > 128 - prefix) return std::nullopt;
  range.bits += prefix;
  return range;
}

AddressRules::AddressRules(const std::vector<std::string>& allowed) {
  for (std::size_t i = 0; i < allowed.size(); ++i) {
    const auto range = parse_range(allowed[i]);
    if (!range) {
      refuse("configuration.allowAddresses[" + std::to_string(i) + ']',
             "must be an address or a range, 10.0.0.0/8, not \"" + allowed[i] + '"');
    }
    allowed_.push_back(*range);
  }
}

bool AddressRules::allow(const sockaddr& address) const {
  // Copied, because what is handed over as a sockaddr need not be aligned as its own type is.
  if (address.sa_family == AF_INET) {
    sockaddr_in ipv4{};
    std::memcpy(&ipv4, &address, sizeof ipv4);
    return allow(mapped(&ipv4.sin_addr));
  }
  if (address.sa_family != AF_INET6) return false;
  sockaddr_in6 ipv6{};
  std::memcpy(&ipv6, &address, sizeof ipv6);
  Address bytes{};
  std::memcpy(bytes.data(), &ipv6.sin6_addr, bytes.size());
  return allow(bytes);
}

bool AddressRules::allow(const Address& address) const {
  const auto has = [&](const AddressRange& each) { return each.has(address); };
  return is_public(address) || std::any_of(allowed_.begin(), allowed_.end(), has);
}

}  // namespace plugins::http
