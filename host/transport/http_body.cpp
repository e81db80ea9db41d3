#include "transport/http_body.hpp"

namespace mcph {

void HttpBody::announce(std::uint64_t bytes) {
  if (bytes > limit_) return give_up_text();
  text_.reserve(static_cast<std::size_t>(bytes));
}

void HttpBody::announce_piece(std::uint64_t bytes) {
  if (bytes > limit_ - text_.size()) give_up_text();
}

void HttpBody::append(std::string_view bytes) {
  if (!envelope_ && bytes.size() > limit_ - text_.size()) give_up_text();
  if (envelope_) {
    envelope_->feed(bytes);
  } else {
    text_.append(bytes);
  }
}

void HttpBody::give_up_text() {
  if (envelope_) return;
  envelope_.emplace().feed(text_);
  std::string().swap(text_);
}

}  // namespace mcph
