#include "base/base64.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

namespace mcph {
namespace {

constexpr std::string_view standard_alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::string_view url_alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

constexpr std::uint8_t not_in_alphabet = 0xFF;
using DigitValues = std::array<std::uint8_t, 256>;

constexpr DigitValues digit_values(std::string_view alphabet) {
  DigitValues values{};
  values.fill(not_in_alphabet);
  for (std::size_t digit = 0; digit < alphabet.size(); ++digit) {
    values[static_cast<unsigned char>(alphabet[digit])] = static_cast<std::uint8_t>(digit);
  }
  return values;
}

constexpr auto standard_digits = digit_values(standard_alphabet);
constexpr auto url_digits = digit_values(url_alphabet);

std::string encode_unpadded(std::string_view bytes, std::string_view alphabet) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  std::uint32_t buffer = 0;
  unsigned bits = 0;
  for (const char byte : bytes) {
    buffer = (buffer << 8) | static_cast<unsigned char>(byte);
    for (bits += 8; bits >= 6; bits -= 6) {
      text += alphabet[(buffer >> (bits - 6)) & 0x3F];
    }
  }
  if (bits > 0) text += alphabet[(buffer << (6 - bits)) & 0x3F];
  return text;
}

std::optional<std::string> decode_unpadded(std::string_view text, const DigitValues& digits) {
  const auto rest = text.size() % 4;
  if (rest == 1) return std::nullopt;
  std::string bytes(text.size() / 4 * 3 + rest * 3 / 4, '\0');
  std::uint32_t seen = 0;
  const auto digit_at = [&](std::size_t at) {
    const std::uint32_t digit = digits[static_cast<unsigned char>(text[at])];
    seen |= digit;
    return digit;
  };
  std::size_t at = 0;
  std::size_t size = 0;
  for (; at + 4 <= text.size(); at += 4) {
    const auto group = digit_at(at) << 18 | digit_at(at + 1) << 12 | digit_at(at + 2) << 6 | digit_at(at + 3);
    bytes[size++] = static_cast<char>(group >> 16 & 0xFF);
    bytes[size++] = static_cast<char>(group >> 8 & 0xFF);
    bytes[size++] = static_cast<char>(group & 0xFF);
  }
  std::uint32_t group = 0;
  for (; at < text.size(); ++at)
    group = group << 6 | digit_at(at);
  if (seen > 0x3F) return std::nullopt;
  // Bits that belong to no byte are zero in the canonical form (section 3.5).
  const auto leftover = rest == 0 ? 0U : 8 - 2 * rest;
  if ((group & ((1U << leftover) - 1)) != 0) return std::nullopt;
  group >>= leftover;
  if (rest == 3) bytes[size++] = static_cast<char>(group >> 8 & 0xFF);
  if (rest > 0) bytes[size] = static_cast<char>(group & 0xFF);
  return bytes;
}

// RFC 9110 section 5.5, without obs-text.
bool fits_header(char character) {
  return character == '\t' || (character >= ' ' && character <= '~');
}

}  // namespace

bool is_base64(std::string_view text) {
  std::size_t digits = 0;
  std::size_t padding = 0;
  for (const char c : text) {
    if (standard_digits[static_cast<unsigned char>(c)] != not_in_alphabet) {
      if (padding > 0) return false;
      ++digits;
    } else if (c == '=') {
      ++padding;
    } else if (c != '\n' && c != '\r' && c != ' ' && c != '\t' && c != '\f') {
      return false;
    }
  }
  return digits % 4 != 1 && (padding == 0 || (padding <= 2 && (digits + padding) % 4 == 0));
}

std::string base64_encode(std::string_view bytes) {
  auto text = encode_unpadded(bytes, standard_alphabet);
  text.append((4 - text.size() % 4) % 4, '=');
  return text;
}

std::optional<std::string> base64_decode(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  if (text.ends_with('=')) text.remove_suffix(text.ends_with("==") ? 2 : 1);
  return decode_unpadded(text, standard_digits);
}

std::string base64url_encode(std::string_view bytes) {
  return encode_unpadded(bytes, url_alphabet);
}

std::optional<std::string> base64url_decode(std::string_view text) {
  return decode_unpadded(text, url_digits);
}

std::optional<std::string> decode_mcp_header_value(std::string_view value) {
  constexpr std::string_view prefix = "=?base64?";
  constexpr std::string_view suffix = "?=";
  if (value.size() >= prefix.size() + suffix.size() && value.starts_with(prefix) && value.ends_with(suffix)) {
    return base64_decode(value.substr(prefix.size(), value.size() - prefix.size() - suffix.size()));
  }
  if (!std::all_of(value.begin(), value.end(), fits_header)) return std::nullopt;
  return std::string(value);
}

std::string encode_mcp_header_value(std::string_view value) {
  const auto decoded = decode_mcp_header_value(value);
  // Whoever reads a header leaves out the white space around its value (RFC 9110 section 5.5).
  constexpr std::string_view space = " \t";
  const bool is_plain =
      !value.empty() && value.find_first_not_of(space) == 0 && value.find_last_not_of(space) == value.size() - 1;
  return is_plain && decoded == value ? std::string(value) : "=?base64?" + base64_encode(value) + "?=";
}

}  // namespace mcph
