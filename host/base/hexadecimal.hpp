// Numbers and bytes in hexadecimal, in lower case. Plain functions without state; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace mcph {

inline constexpr std::string_view hexadecimal_digits = "0123456789abcdef";

// All sixteen digits.
inline std::string hexadecimal(std::uint64_t number) {
  std::string text(16, '0');
  for (auto digit = text.rbegin(); digit != text.rend(); ++digit, number >>= 4U)
    *digit = hexadecimal_digits[number & 0xFU];
  return text;
}

inline std::string hexadecimal(const unsigned char* bytes, std::size_t count) {
  std::string text;
  text.reserve(2 * count);
  for (std::size_t i = 0; i < count; ++i) {
    text += hexadecimal_digits[bytes[i] >> 4U];
    text += hexadecimal_digits[bytes[i] & 0xFU];
  }
  return text;
}

}  // namespace mcph
