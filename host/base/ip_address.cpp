#include "base/ip_address.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <charconv>
#include <netinet/in.h>

namespace mcph {
namespace {

constexpr std::array<std::uint8_t, 12> mapped{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
constexpr unsigned mapped_bits = 96;
constexpr unsigned all_bits = 128;

bool equal_bits(const IpAddress::Bytes& a, const IpAddress::Bytes& b, unsigned bits) {
  const auto whole = bits / 8;
  if (!std::equal(a.begin(), a.begin() + whole, b.begin())) return false;
  const auto rest = bits % 8;
  return rest == 0 || (a[whole] ^ b[whole]) >> (8 - rest) == 0;
}

}  // namespace

IpAddress IpAddress::v4(const std::array<std::uint8_t, 4>& bytes) {
  Bytes all{};
  std::copy(bytes.begin(), bytes.end(), std::copy(mapped.begin(), mapped.end(), all.begin()));
  return IpAddress(all);
}

std::optional<IpAddress> IpAddress::read(std::string_view text) {
  const std::string terminated(text);
  if (terminated.find('\0') != std::string::npos) return std::nullopt;
  std::array<std::uint8_t, 4> four{};
  if (::inet_pton(AF_INET, terminated.c_str(), four.data()) == 1) return v4(four);
  Bytes all{};
  if (::inet_pton(AF_INET6, terminated.c_str(), all.data()) == 1) return IpAddress(all);
  return std::nullopt;
}

bool IpAddress::is_v4() const {
  return std::equal(mapped.begin(), mapped.end(), bytes_.begin());
}

bool IpAddress::is_loopback() const {
  constexpr Bytes loopback{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
  return is_v4() ? bytes_[mapped.size()] == 127 : bytes_ == loopback;
}

std::string IpAddress::text() const {
  char text[INET6_ADDRSTRLEN] = {};
  if (is_v4()) {
    ::inet_ntop(AF_INET, bytes_.data() + mapped.size(), text, sizeof text);
  } else {
    ::inet_ntop(AF_INET6, bytes_.data(), text, sizeof text);
  }
  return text;
}

std::optional<IpNetwork> IpNetwork::read(std::string_view text) {
  const auto slash = text.find('/');
  const auto first = IpAddress::read(text.substr(0, slash));
  if (!first) return std::nullopt;
  if (slash == std::string_view::npos) return IpNetwork(*first, all_bits);
  const auto digits = text.substr(slash + 1);
  unsigned bits = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), bits);
  if (error != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
  const bool is_v4 = text.substr(0, slash).find(':') == std::string_view::npos;
  if (bits > (is_v4 ? all_bits - mapped_bits : all_bits)) return std::nullopt;
  if (is_v4) bits += mapped_bits;
  auto cleared = first->bytes();
  for (unsigned bit = bits; bit < all_bits; ++bit)
    cleared[bit / 8] &= static_cast<std::uint8_t>(~(0x80U >> bit % 8));
  if (cleared != first->bytes()) return std::nullopt;
  return IpNetwork(*first, bits);
}

bool IpNetwork::contains(const IpAddress& address) const {
  return equal_bits(first_.bytes(), address.bytes(), bits_);
}

std::string IpNetwork::text() const {
  if (bits_ == all_bits) return first_.text();
  return first_.text() + "/" + std::to_string(first_.is_v4() && bits_ >= mapped_bits ? bits_ - mapped_bits : bits_);
}

}  // namespace mcph
