// The message that a client which has one stream for everything is sending, as far as it has come. Of one that is too
// long nothing is kept but what it is, and its id. A value; one thread at a time.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "protocol/envelope_reader.hpp"

namespace mcph {

class IncomingText {
 public:
  explicit IncomingText(std::size_t max_bytes) : max_bytes_(max_bytes) {}

  // Its next bytes, which may be cut anywhere.
  void add(std::string_view bytes) {
    if (!reader_ && bytes.size() > max_bytes_ - text_.size()) give_up();
    if (reader_) return reader_->feed(bytes);
    text_.append(bytes);
  }
  // Keeps none of its text any more.
  void give_up() {
    if (reader_) return;
    reader_.emplace().feed(text_);
    std::string().swap(text_);
  }
  // Another message begins. What has been long leaves no memory behind.
  void clear() {
    reader_.reset();
    if (text_.capacity() > kept_bytes) std::string().swap(text_);
    text_.clear();
  }

  bool is_given_up() const { return reader_.has_value(); }
  // Of one that has not been given up, and of one that has.
  const std::string& text() const { return text_; }
  Envelope envelope() const { return reader_->envelope(); }
  // In bytes, of its text.
  std::size_t memory() const { return text_.capacity(); }

 private:
  static constexpr std::size_t kept_bytes = 1024;

  std::size_t max_bytes_;
  std::string text_;
  std::optional<EnvelopeReader> reader_;  // of one that has been given up
};

// Whether an answer can say that it was refused, which neither a notification nor a response has.
inline bool may_be_answered(const Envelope& envelope) {
  return envelope.kind.value_or(Message::Kind::request) == Message::Kind::request;
}

}  // namespace mcph
