#include "plugin/isolated/long_texts.hpp"

#include <algorithm>
#include <cstring>
#include <sys/mman.h>

namespace mcph {

std::optional<std::uint32_t> LongTextWriter::lay(std::string_view text, std::string_view more) {
  const auto size = text.size() + more.size();
  if (size == 0 || size > SharedRings::long_text_bytes) return std::nullopt;
  const auto begin = find_room(static_cast<std::uint32_t>(size));
  if (!begin) return std::nullopt;
  auto* const place = reinterpret_cast<char*>(memory_->long_texts() + *begin);
  std::copy_n(text.data(), text.size(), place);
  std::copy_n(more.data(), more.size(), place + text.size());
  laid_.push_back({*begin, *begin + static_cast<std::uint32_t>(size)});
  return begin;
}

// At the beginning where nothing lies, so that few texts at once use little memory; else after the last one, or from
// the beginning to the first one.
std::optional<std::uint32_t> LongTextWriter::find_room(std::uint32_t size) {
  const auto free = memory_->long_texts_freed().load(std::memory_order_acquire) - freed_;
  if (free > laid_.size()) return std::nullopt;
  laid_.erase(laid_.begin(), laid_.begin() + free);
  freed_ += free;
  if (laid_.empty()) return 0;
  const auto first = laid_.front().begin;
  const auto last = laid_.back().end;
  if (last <= first) return first - last >= size ? std::optional(last) : std::nullopt;
  if (SharedRings::long_text_bytes - last >= size) return last;
  return first >= size ? std::optional(0U) : std::nullopt;
}

bool LongTextWriter::give_back() {
  if (memory_->long_texts_freed().load(std::memory_order_acquire) - freed_ != laid_.size()) return false;
  ::madvise(memory_->long_texts(), SharedRings::long_text_bytes, MADV_REMOVE);  // a system without it keeps it
  return true;
}

void LongTextReader::copy(std::uint64_t begin, char* to, std::size_t size) const {
  std::memcpy(to, memory_->long_texts() + begin, size);
}

}  // namespace mcph
