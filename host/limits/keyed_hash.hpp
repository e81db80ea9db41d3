// SipHash-1-3 (Aumasson and Bernstein, 2012): a hash that nobody can find collisions of who does not know its key, so
// that nobody can choose a name by which he shares a bucket with somebody else. A value; any thread.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace mcph {

class KeyedHash {
 public:
  // A key that nobody can guess.
  static KeyedHash random();
  KeyedHash(std::uint64_t key_0, std::uint64_t key_1) : key_0_(key_0), key_1_(key_1) {}

  // `seed` is the hash of what stands before, where a key has several parts.
  std::uint64_t of(std::string_view text, std::uint64_t seed = 0) const {
    State state{key_0_ ^ 0x736f6d6570736575U, key_1_ ^ 0x646f72616e646f6dU, key_0_ ^ 0x6c7967656e657261U,
                key_1_ ^ 0x7465646279746573U};
    state.take(seed);
    const auto size = text.size();
    for (; text.size() >= sizeof(std::uint64_t); text.remove_prefix(sizeof(std::uint64_t)))
      state.take(word_of(text));
    state.take(word_of(text) | std::uint64_t{size} << 56U);
    return state.finish();
  }

 private:
  struct State {
    std::uint64_t a, b, c, d;

    void round() {
      a += b;
      c += d;
      b = std::rotl(b, 13) ^ a;
      d = std::rotl(d, 16) ^ c;
      a = std::rotl(a, 32) + d;
      c += b;
      b = std::rotl(b, 17) ^ c;
      d = std::rotl(d, 21) ^ a;
      c = std::rotl(c, 32);
    }
    void take(std::uint64_t word) {
      d ^= word;
      round();
      a ^= word;
    }
    std::uint64_t finish() {
      c ^= 0xffU;
      for (int i = 0; i < 3; ++i)
        round();
      return a ^ b ^ c ^ d;
    }
  };

  // Of the first eight bytes, or as many as there are.
  static std::uint64_t word_of(std::string_view text) {
    std::uint64_t word = 0;
    if (!text.empty()) std::memcpy(&word, text.data(), text.size() < sizeof word ? text.size() : sizeof word);
    return word;
  }

  std::uint64_t key_0_;
  std::uint64_t key_1_;
};

}  // namespace mcph
