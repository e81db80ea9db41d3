#include "http/body.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

#include "base/sanitizer.hpp"

namespace mcph {
namespace {

// The memory of the last short body, for the next one on this thread.
constexpr std::size_t max_spare = 4096;
thread_local BodyMemory spare;

// More comes when a body does.
constexpr std::size_t min_room = std::size_t{16} << 10;

}  // namespace

BodyMemory::~BodyMemory() {
  std::free(data_);
}

void BodyMemory::grow_to(std::size_t bytes) {
  if (bytes <= capacity_) return;
  auto* const grown = static_cast<char*>(std::realloc(data_, bytes));
  if (grown == nullptr) throw std::bad_alloc();
  data_ = grown;
  capacity_ = bytes;
}

void HttpBody::drop() {
  const bool is_kept = !is_address_sanitized && memory_.capacity() <= max_spare;
  if (is_kept && memory_.capacity() > spare.capacity()) std::swap(spare, memory_);
  give_up_memory();
}

void HttpBody::give_up_memory() {
  const auto gone = std::move(memory_);
  size_ = 0;
}

void HttpBody::limit_to(std::size_t bytes, MakeBodyScanner make_scanner) {
  limit_ = length_ = bytes;
  make_scanner_ = make_scanner;
}

void HttpBody::announce(std::uint64_t bytes) {
  if (bytes > limit_) return give_up_text();
  length_ = static_cast<std::size_t>(bytes);
  fits_ = true;
}

void HttpBody::announce_piece(std::uint64_t bytes) {
  if (bytes > limit_ - size_) give_up_text();
}

void HttpBody::append(std::string_view bytes) {
  if (bytes.size() > limit_ - size_) give_up_text();
  // As it comes: to read all of it only once it turns out too long would hold others up.
  if (!fits_) scan(bytes);
  if (too_long_ || bytes.empty()) return;
  const bool in_place = memory_.data() != nullptr && bytes.data() == memory_.data() + size_;
  if (!in_place) {
    grow_to(size_ + bytes.size());
    std::memcpy(memory_.data() + size_, bytes.data(), bytes.size());
  }
  size_ += bytes.size();
}

std::span<char> HttpBody::room(std::size_t max_bytes) {
  if (!fits_ || too_long_ || size_ == length_) return {};
  grow_to(std::min(size_ + min_room, length_));
  return {memory_.data() + size_, std::min(memory_.capacity() - size_, max_bytes)};
}

void HttpBody::scan(std::string_view bytes) {
  if (make_scanner_ == nullptr) return;
  if (scanner_ == nullptr) scanner_ = make_scanner_();
  scanner_->feed(bytes);
}

// Twice as large each time, but never larger than the body can become.
void HttpBody::grow_to(std::size_t bytes) {
  if (bytes <= memory_.capacity()) return;
  if (size_ == 0 && bytes <= spare.capacity()) {
    std::swap(memory_, spare);
  } else {
    memory_.grow_to(std::max(bytes, std::min(2 * memory_.capacity(), length_)));
  }
}

void HttpBody::give_up_text() {
  too_long_ = true;
  give_up_memory();
}

}  // namespace mcph
