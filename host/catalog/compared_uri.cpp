#include "catalog/compared_uri.hpp"

#include <bit>
#include <utility>

#include "base/uri.hpp"
#include "catalog/uri_template.hpp"

namespace mcph {

void UriPositions::move_to(const UriPositions& where) {
  words_.resize(where.words_.size());
  Word carried = 0;
  Word kept = 0;
  for (std::size_t i = 0; i < words_.size(); ++i) {
    const auto moved = (words_[i] << 1) | carried;
    carried = words_[i] >> (word_bits - 1);
    words_[i] = moved & where.words_[i];
    kept |= words_[i];
  }
  if (kept == 0) words_.clear();
}

UriPositions UriPositions::before_run_of(const UriPositions& where) const {
  UriPositions before;
  before.words_.reserve(words_.size());
  Word carried = 0;
  for (std::size_t i = 0; i < words_.size(); ++i) {
    const auto bytes = where.words_[i];
    const auto last = ((words_[i] << 1) | carried) & bytes;
    // The sum carries each of them through those that follow it without a gap, and so changes these.
    before.words_.push_back((((last + bytes) ^ bytes) | last) & bytes);
    carried = (words_[i] | before.words_[i]) >> (word_bits - 1);
  }
  return before;
}

std::size_t UriPositions::next_gap(std::size_t position) const {
  auto i = position / word_bits;
  auto gaps = ~words_[i] & (~Word{0} >> (word_bits - 1 - position % word_bits));
  while (gaps == 0)
    gaps = ~words_[--i];
  return i * word_bits + static_cast<std::size_t>(std::bit_width(gaps)) - 1;
}

std::size_t UriPositions::first_from(std::size_t position) const {
  auto i = position / word_bits;
  auto found = words_[i] & (~Word{0} << (position % word_bits));
  while (found == 0)
    found = words_[++i];
  return i * word_bits + static_cast<std::size_t>(std::countr_zero(found));
}

std::optional<ComparedUri> ComparedUri::read(std::string_view uri) {
  if (uri.size() > UriTemplate::max_uri_size) return std::nullopt;
  auto text = normalized_uri(uri);
  if (text.size() > UriTemplate::max_uri_size) return std::nullopt;
  return ComparedUri(std::move(text));
}

ComparedUri::ComparedUri(std::string text) : text_(std::move(text)), of_any_(text_.size()), of_segments_(text_.size()) {
  for (std::size_t offset = 0; offset < text_.size(); ++offset) {
    const auto c = text_[offset];
    const auto position = text_.size() - offset;
    auto& of_same = of_byte_[static_cast<unsigned char>(c)];
    if (!of_same.has_room()) of_same = UriPositions(text_.size());
    of_same.insert(position);
    of_any_.insert(position);
    if (c != '/' && c != '?' && c != '#') of_segments_.insert(position);
  }
}

}  // namespace mcph
