// What JSON strings are mostly made of: bytes that stand for themselves alone, looked at many together. Special is the
// rest: a quote, a backslash, what is below a space, and a part of a longer character, which as a signed number is
// below a space, too. Free functions; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace mcph {

inline bool stands_for_itself(char byte) {
  const auto number = static_cast<signed char>(byte);
  return number >= ' ' && number != '"' && number != '\\';
}

namespace detail {

using JsonLane __attribute__((vector_size(16))) = signed char;
inline constexpr std::size_t json_word_bytes = sizeof(std::uint64_t);
inline constexpr std::size_t json_lanes_at_once = 4;
inline constexpr std::size_t json_block_bytes = json_lanes_at_once * sizeof(JsonLane);

inline JsonLane special_in_lane(const char* at) {
  JsonLane bytes;
  std::memcpy(&bytes, at, sizeof bytes);
  return (bytes < ' ') | (bytes == '"') | (bytes == '\\');
}

inline bool any_in_block_is_special(const char* at) {
  auto special = special_in_lane(at);
  for (std::size_t i = 1; i < json_lanes_at_once; ++i)
    special |= special_in_lane(at + i * sizeof(JsonLane));
  std::uint64_t halves[2];
  std::memcpy(halves, &special, sizeof halves);
  return (halves[0] | halves[1]) != 0;
}

inline bool any_in_word_is_special(const char* at) {
  std::uint64_t bytes = 0;
  std::memcpy(&bytes, at, sizeof bytes);
  constexpr std::uint64_t ones = 0x0101010101010101;
  constexpr std::uint64_t tops = 0x8080808080808080;
  const auto has = [bytes](std::uint64_t byte) {
    const auto difference = bytes ^ (ones * byte);
    return (difference - ones) & ~difference;
  };
  const auto below_space = (bytes - ones * 0x20) & ~bytes;
  return ((has('"') | has('\\') | below_space | bytes) & tops) != 0;
}

}  // namespace detail

// Behind as many words as hold nothing special: what is left is less than a word, or begins with one that holds
// something special. Most strings are short, so the first words are looked at one by one, and the rest by blocks.
inline const char* skip_plain_words(const char* at, const char* end) {
  constexpr int words_of_usual = 5;
  const auto has = [&](std::size_t bytes) { return static_cast<std::size_t>(end - at) >= bytes; };
  for (int words = 1; has(detail::json_word_bytes) && !detail::any_in_word_is_special(at); ++words) {
    at += detail::json_word_bytes;
    if (words != words_of_usual) continue;
    while (has(detail::json_block_bytes) && !detail::any_in_block_is_special(at))
      at += detail::json_block_bytes;
  }
  return at;
}

}  // namespace mcph
