#include "auth/token.hpp"

#include <cstddef>

#include <boost/crc.hpp>

#include "base/ascii.hpp"
#include "base/random_bytes.hpp"
#include "base/sha256.hpp"

namespace mcph {
namespace {

constexpr std::string_view prefix = "mph_";
constexpr std::string_view alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
constexpr std::size_t id_length = 10;
constexpr std::size_t secret_length = 43;  // 62^43 is a little more than 2^256
constexpr std::size_t checksum_length = 6;
constexpr std::size_t token_length = prefix.size() + id_length + 1 + secret_length + checksum_length;

std::string random_text(std::size_t length) {
  // Bytes above the largest multiple are thrown away, so that each character is as likely as any other.
  constexpr auto multiple = 256 / alphabet.size() * alphabet.size();
  std::string text;
  while (text.size() < length) {
    for (const char byte : random_bytes(length)) {
      const auto number = static_cast<unsigned char>(byte);
      if (number < multiple && text.size() < length) text += alphabet[number % alphabet.size()];
    }
  }
  return text;
}

std::string checksum(std::string_view text) {
  boost::crc_32_type crc;
  crc.process_bytes(text.data(), text.size());
  std::size_t rest = crc.checksum();
  std::string digits(checksum_length, alphabet.front());
  for (auto digit = digits.rbegin(); digit != digits.rend(); ++digit) {
    *digit = alphabet[rest % alphabet.size()];
    rest /= alphabet.size();
  }
  return digits;
}

}  // namespace

std::string make_token() {
  auto token = std::string(prefix) + random_text(id_length) + "_" + random_text(secret_length);
  return token + checksum(token);
}

bool is_host_token(std::string_view text) {
  return text.starts_with(prefix);
}

std::optional<std::string_view> token_id(std::string_view text) {
  if (text.size() != token_length || !text.starts_with(prefix)) return std::nullopt;
  const auto id = text.substr(prefix.size(), id_length);
  if (text[prefix.size() + id_length] != '_') return std::nullopt;
  for (const char c : id) {
    if (!is_alphanumeric(c)) return std::nullopt;
  }
  const auto checked = text.substr(0, token_length - checksum_length);
  return checksum(checked) == text.substr(checked.size()) ? std::optional(id) : std::nullopt;
}

std::string token_digest(std::string_view token) {
  Sha256 digest;
  digest.add(token.data(), token.size());
  return digest.hex();
}

}  // namespace mcph
