#include "protocol/envelope_reader.hpp"

#include <utility>

namespace mcph {
namespace {

// The keys that are looked for are shorter, and so is every id: 1024 bytes, each of which may be written as \u0041.
constexpr std::size_t max_key_size = 8;
constexpr std::size_t max_id_size = 6 * 1024 + 2;

bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

}  // namespace

void EnvelopeReader::feed(std::string_view bytes) {
  for (const char c : bytes)
    take(c);
}

Envelope EnvelopeReader::envelope() const {
  const bool ended = state_ == State::after_message;
  if (state_ == State::unknown) return {};
  if (id_.empty()) return ended && has_method_ ? Envelope{Message::Kind::notification} : Envelope{};
  if (has_method_) return {Message::Kind::request, id_};
  return has_result_ || has_error_ ? Envelope{Message::Kind::response, id_} : Envelope{};
}

bool EnvelopeReader::knows_all() const {
  return state_ == State::unknown || envelope().kind.has_value();
}

void EnvelopeReader::take(char c) {
  switch (state_) {
    case State::before_message:
      if (!is_space(c)) state_ = c == '{' ? State::before_key : State::unknown;
      return;
    case State::before_key:
      if (c == '"') {
        text_.clear();
        state_ = State::in_key;
      } else if (!is_space(c)) {
        state_ = c == '}' ? State::after_message : State::unknown;
      }
      return;
    case State::in_key:
      return take_in_key(c);
    case State::before_colon:
      if (!is_space(c)) state_ = c == ':' ? State::before_value : State::unknown;
      return;
    case State::before_value:
      if (!is_space(c)) begin_value(c);
      return;
    case State::in_string:
      return take_in_string(c);
    case State::in_escape:
      keep(c);
      if (state_ != State::unknown) state_ = State::in_string;
      return;
    case State::in_scalar:
      if (c != ',' && c != '}' && !is_space(c)) return keep(c);
      end_id();
      if (state_ != State::unknown) take_after_value(c);
      return;
    case State::in_nested:
    case State::in_nested_string:
    case State::in_nested_escape:
      return take_in_nested(c);
    case State::after_value:
      return take_after_value(c);
    case State::after_message:
      if (!is_space(c)) state_ = State::unknown;
      return;
    case State::unknown:
      return;
  }
}

void EnvelopeReader::take_in_key(char c) {
  if (c == '"') return end_key();
  // Written so, any other key could be one of those that are looked for.
  if (c == '\\') {
    state_ = State::unknown;
  } else if (text_.size() < max_key_size) {
    text_ += c;
  }
}

void EnvelopeReader::end_key() {
  state_ = State::before_colon;
  const auto is = [this](const char* name, Key key, bool& has) {
    if (text_ != name) return false;
    key_ = key;
    if (std::exchange(has, true)) state_ = State::unknown;
    return true;
  };
  const bool known = is("id", Key::id, has_id_) || is("method", Key::method, has_method_) ||
                     is("result", Key::result, has_result_) || is("error", Key::error, has_error_);
  if (!known) key_ = Key::other;
}

void EnvelopeReader::begin_value(char c) {
  text_.clear();
  if (c == '{' || c == '[') {
    depth_ = 1;
    state_ = key_ == Key::id ? State::unknown : State::in_nested;
    return;
  }
  state_ = c == '"' ? State::in_string : State::in_scalar;
  keep(c);
}

void EnvelopeReader::take_in_string(char c) {
  keep(c);
  if (state_ == State::unknown) return;
  if (c == '\\') state_ = State::in_escape;
  if (c != '"') return;
  state_ = State::after_value;
  end_id();
}

void EnvelopeReader::take_in_nested(char c) {
  if (state_ == State::in_nested_escape || (state_ == State::in_nested && c == '"')) {
    state_ = State::in_nested_string;
  } else if (state_ == State::in_nested_string) {
    if (c == '\\') state_ = State::in_nested_escape;
    if (c == '"') state_ = State::in_nested;
  } else if (c == '{' || c == '[') {
    ++depth_;
  } else if ((c == '}' || c == ']') && --depth_ == 0) {
    state_ = State::after_value;
  }
}

void EnvelopeReader::take_after_value(char c) {
  if (is_space(c)) {
    state_ = State::after_value;
  } else if (c == ',') {
    state_ = State::before_key;
  } else {
    state_ = c == '}' ? State::after_message : State::unknown;
  }
}

// Of an id only.
void EnvelopeReader::keep(char c) {
  if (key_ != Key::id) return;
  text_ += c;
  if (text_.size() > max_id_size) state_ = State::unknown;
}

void EnvelopeReader::end_id() {
  if (key_ != Key::id) return;
  id_ = read_id(text_);
  if (id_.empty()) state_ = State::unknown;
}

}  // namespace mcph
