#include "transport/http_body.hpp"

#include <algorithm>

namespace mcph {

void HttpBody::announce(std::uint64_t bytes) {
  if (bytes > limit_) return give_up_text();
  length_ = static_cast<std::size_t>(bytes);
}

void HttpBody::announce_piece(std::uint64_t bytes) {
  if (bytes > limit_ - text_.size()) give_up_text();
}

void HttpBody::append(std::string_view bytes) {
  if (!envelope_ && bytes.size() > limit_ - text_.size()) give_up_text();
  if (envelope_) {
    envelope_->feed(bytes);
  } else {
    grow_to(text_.size() + bytes.size());
    text_.append(bytes);
  }
}

// Twice as large each time, but never larger than the body can become, which std::string would make it.
void HttpBody::grow_to(std::size_t bytes) {
  if (bytes <= text_.capacity()) return;
  std::string larger;
  larger.reserve(std::max(bytes, std::min(2 * text_.capacity(), length_)));
  larger.append(text_);
  text_.swap(larger);
}

void HttpBody::give_up_text() {
  if (envelope_) return;
  envelope_.emplace().feed(text_);
  std::string().swap(text_);
}

}  // namespace mcph
