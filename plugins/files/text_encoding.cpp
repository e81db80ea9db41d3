#include "files/text_encoding.hpp"

#include <cstdint>

#include "shared/text.hpp"

namespace plugins::files {
namespace {

// ISO 8859-1: each byte is the code point of its number.
std::string from_latin_1(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size());
  for (const char byte : bytes)
    append_utf8(text, static_cast<unsigned char>(byte));
  return text;
}

std::optional<std::string> from_utf_16(std::string_view bytes) {
  if (bytes.size() % 2 != 0) return std::nullopt;
  const bool big_endian = bytes.starts_with("\xFE\xFF");
  if (big_endian || bytes.starts_with("\xFF\xFE")) bytes.remove_prefix(2);
  const auto unit = [&](std::size_t at) -> std::uint32_t {
    const auto first = static_cast<unsigned char>(bytes[at]);
    const auto second = static_cast<unsigned char>(bytes[at + 1]);
    return big_endian ? first * 256U + second : second * 256U + first;
  };
  std::string text;
  text.reserve(bytes.size());
  for (std::size_t at = 0; at < bytes.size(); at += 2) {
    auto point = unit(at);
    if (point >= 0xDC00 && point < 0xE000) return std::nullopt;
    if (point >= 0xD800 && point < 0xDC00) {
      at += 2;
      const auto low = at < bytes.size() ? unit(at) : 0;
      if (low < 0xDC00 || low >= 0xE000) return std::nullopt;
      point = 0x10000 + ((point - 0xD800) << 10) + (low - 0xDC00);
    }
    append_utf8(text, point);
  }
  return text;
}

std::optional<std::string> decoded(std::string_view bytes, Encoding encoding) {
  switch (encoding) {
    case Encoding::latin_1:
      return from_latin_1(bytes);
    case Encoding::utf_16:
      return from_utf_16(bytes);
    case Encoding::utf_8:
      return std::string(without_byte_order_mark(bytes));
    case Encoding::base64:
      break;
  }
  return std::nullopt;
}

}  // namespace

std::string_view without_byte_order_mark(std::string_view utf_8) {
  return utf_8.starts_with("\xEF\xBB\xBF") ? utf_8.substr(3) : utf_8;
}

std::optional<std::string> text_in(std::string_view bytes, Encoding encoding) {
  auto text = decoded(bytes, encoding);
  if (text && !is_text(*text)) return std::nullopt;
  return text;
}

}  // namespace plugins::files
