// A URI as templates are compared with it: in the one form in which URIs are compared, and with the positions of each
// byte, 64 of them to a word, which one step of a comparison takes at once. Made once for all templates that a URI is
// compared with. Value types; a ComparedUri is immutable, so that any thread may read it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mcph {

// Positions in a URI, counted from its end: 0 is the end itself.
class UriPositions {
 public:
  // None, and no room for any.
  UriPositions() = default;
  explicit UriPositions(std::size_t uri_size) : words_(uri_size / word_bits + 1) {}

  void insert(std::size_t position) { words_[position / word_bits] |= Word{1} << (position % word_bits); }
  bool contains(std::size_t position) const {
    return position / word_bits < words_.size() && ((words_[position / word_bits] >> (position % word_bits)) & 1) != 0;
  }
  // False: it has none. One may have room and none yet.
  bool has_room() const { return !words_.empty(); }

  // Moves each a byte towards the URI's beginning, and keeps those that `where` has.
  void move_to(const UriPositions& where);
  // All from which one or more bytes, each at one of `where`, lead to one of these.
  UriPositions before_run_of(const UriPositions& where) const;

  // The next that is not one of these, from `position` on towards the end. Expects that there is one.
  std::size_t next_gap(std::size_t position) const;
  // The first of these, from `position` on towards the beginning. Expects that there is one.
  std::size_t first_from(std::size_t position) const;

 private:
  using Word = std::uint64_t;
  static constexpr std::size_t word_bits = 64;

  std::vector<Word> words_;
};

class ComparedUri {
 public:
  // Nothing: it is longer than what a template matches (UriTemplate::max_uri_size).
  static std::optional<ComparedUri> read(std::string_view uri);

  // Normalized.
  std::string_view text() const { return text_; }
  // Where this byte stands; where any does; where one does that is not "/", "?" or "#".
  const UriPositions& of(char c) const { return of_byte_[static_cast<unsigned char>(c)]; }
  const UriPositions& of_any() const { return of_any_; }
  const UriPositions& of_segments() const { return of_segments_; }

 private:
  explicit ComparedUri(std::string text);

  std::string text_;
  std::array<UriPositions, 256> of_byte_;
  UriPositions of_any_;
  UriPositions of_segments_;
};

}  // namespace mcph
