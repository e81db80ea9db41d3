#include "http/body.hpp"

#include <algorithm>

namespace mcph {
namespace {

// The memory of the last short body, for the next one on this thread.
constexpr std::size_t max_spare = 4096;
thread_local std::string spare;

}  // namespace

void HttpBody::drop() {
  if (text_.capacity() > spare.capacity() && text_.capacity() <= max_spare) spare.swap(text_);
  std::string().swap(text_);
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
  if (bytes > limit_ - text_.size()) give_up_text();
}

void HttpBody::append(std::string_view bytes) {
  if (bytes.size() > limit_ - text_.size()) give_up_text();
  // As it comes: to read all of it only once it turns out too long would hold others up.
  if (!fits_) scan(bytes);
  if (too_long_) return;
  grow_to(text_.size() + bytes.size());
  text_.append(bytes);
}

void HttpBody::scan(std::string_view bytes) {
  if (make_scanner_ == nullptr) return;
  if (scanner_ == nullptr) scanner_ = make_scanner_();
  scanner_->feed(bytes);
}

// Twice as large each time, but never larger than the body can become, which std::string would make it.
void HttpBody::grow_to(std::size_t bytes) {
  if (bytes <= text_.capacity()) return;
  std::string larger;
  if (text_.empty() && bytes <= spare.capacity()) larger.swap(spare);
  larger.clear();
  larger.reserve(std::max(bytes, std::min(2 * text_.capacity(), length_)));
  larger.append(text_);
  text_.swap(larger);
}

void HttpBody::give_up_text() {
  too_long_ = true;
  std::string().swap(text_);
}

}  // namespace mcph
