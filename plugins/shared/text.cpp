#include "shared/text.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace plugins {
namespace {

bool is_letter_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

std::size_t size_by_lead(unsigned char lead) {
  if (lead < 0x80) return 1;
  return lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
}

// The bytes of the character that `text` begins with, or 0 if it is none.
std::size_t character_size(std::string_view text) {
  const auto byte = [text](std::size_t at) { return static_cast<unsigned char>(text[at]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return lead == 0 ? 0 : 1;
  const std::size_t size = size_by_lead(lead);
  if (lead < 0xC2 || lead > 0xF4 || text.size() < size) return 0;
  // The second byte also rules out overlong forms, surrogates, and what lies beyond U+10FFFF.
  const int lowest = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
  const int highest = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
  if (byte(1) < lowest || byte(1) > highest) return 0;
  for (std::size_t at = 2; at < size; ++at) {
    if ((byte(at) & 0xC0) != 0x80) return 0;
  }
  return size;
}

}  // namespace

bool is_text(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::size_t size = character_size(bytes);
    if (size == 0) return false;
    bytes.remove_prefix(size);
  }
  return true;
}

void drop_half_character(std::string& text) {
  constexpr std::size_t max_half = 3;  // bytes
  for (std::size_t size = 1; size <= std::min(max_half, text.size()); ++size) {
    const auto byte = static_cast<unsigned char>(text[text.size() - size]);
    if ((byte & 0xC0U) == 0x80) continue;  // what comes before it may be the lead
    if (size_by_lead(byte) > size) text.erase(text.size() - size);
    return;
  }
}

void append_utf8(std::string& text, std::uint32_t point) {
  const auto add = [&text](std::uint32_t byte) { text += static_cast<char>(byte); };
  if (point < 0x80) return add(point);
  if (point < 0x800) {
    add(0xC0 | (point >> 6));
  } else {
    if (point < 0x10000) {
      add(0xE0 | (point >> 12));
    } else {
      add(0xF0 | (point >> 18));
      add(0x80 | ((point >> 12) & 0x3F));
    }
    add(0x80 | ((point >> 6) & 0x3F));
  }
  add(0x80 | (point & 0x3F));
}

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

std::string percent_encoded_path(std::string_view path) {
  constexpr std::string_view unreserved_marks = "-._~/";
  constexpr std::string_view digits = "0123456789ABCDEF";
  std::string encoded;
  for (const char c : path) {
    if (is_letter_or_digit(c) || unreserved_marks.find(c) != std::string_view::npos) {
      encoded += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      encoded += '%';
      encoded += digits[byte >> 4U];
      encoded += digits[byte & 0xFU];
    }
  }
  return encoded;
}

std::string utc_text(std::time_t time) {
  std::tm parts{};
  std::array<char, 64> text{};
  if (::gmtime_r(&time, &parts) == nullptr) return {};
  return {text.data(), std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts)};
}

}  // namespace plugins
