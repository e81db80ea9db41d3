#include "sources/upstream/event_stream_reader.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

namespace mcph {
namespace {

constexpr std::size_t max_other_line = std::size_t{1} << 10;
constexpr std::string_view data_field = "data:";
constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
constexpr std::size_t kept_room = std::size_t{64} << 10;

// One long event does not make room for all that follow.
void empty(std::string& text) {
  text.clear();
  if (text.capacity() > kept_room) text.shrink_to_fit();
}

}  // namespace

void EventStreamReader::read(std::string_view piece, const Listener& listener) {
  while (!piece.empty()) {
    if (std::exchange(after_return_, false) && piece.front() == '\n') {
      piece.remove_prefix(1);
      continue;
    }
    const auto end = piece.find_first_of("\r\n");
    take(piece.substr(0, end));
    if (end == std::string_view::npos) return;
    after_return_ = piece[end] == '\r';
    piece.remove_prefix(end + 1);
    end_line(listener);
  }
}

void EventStreamReader::begin_again() {
  line_.clear();
  type_.clear();
  empty(data_);
  line_is_cut_ = after_return_ = has_data_ = is_too_long_ = false;
  at_begin_ = true;
  id_ = last_id_;
}

void EventStreamReader::forget_place() {
  id_.clear();
  last_id_.clear();
}

// Comments may be of any length, and nothing of them is wanted.
void EventStreamReader::take(std::string_view part) {
  const bool is_data = line_.size() >= data_field.size()
                           ? line_.starts_with(data_field)
                           : (line_ + std::string(part.substr(0, data_field.size()))).starts_with(data_field);
  const auto most = is_data ? max_data_ + data_field.size() + 1 : max_other_line;
  const auto taken = std::min(part.size(), most - std::min(most, line_.size()));
  line_is_cut_ = line_is_cut_ || taken < part.size();
  line_.append(part.substr(0, taken));
}

void EventStreamReader::end_line(const Listener& listener) {
  std::string_view line = line_;
  if (std::exchange(at_begin_, false) && line.starts_with(byte_order_mark)) line.remove_prefix(byte_order_mark.size());
  if (line.empty()) {
    dispatch(listener);
  } else if (const auto colon = line.find(':'); colon != 0) {
    auto value = colon == std::string_view::npos ? std::string_view() : line.substr(colon + 1);
    if (value.starts_with(' ')) value.remove_prefix(1);
    take_field(line.substr(0, colon), value);
  }
  empty(line_);
  line_is_cut_ = false;
}

void EventStreamReader::take_field(std::string_view name, std::string_view value) {
  if (name == "data") {
    if (has_data_) data_ += '\n';
    has_data_ = true;
    is_too_long_ = is_too_long_ || line_is_cut_ || data_.size() + value.size() > max_data_;
    if (is_too_long_)
      std::string().swap(data_);
    else
      data_ += value;
  } else if (line_is_cut_) {
    return;
  } else if (name == "event") {
    type_ = value;
  } else if (name == "id" && value.find('\0') == std::string_view::npos) {
    id_ = value;
  } else if (name == "retry") {
    unsigned milliseconds = 0;
    const auto* const end = value.data() + value.size();
    const auto read = std::from_chars(value.data(), end, milliseconds);
    if (read.ec == std::errc() && read.ptr == end) retry_ = std::chrono::milliseconds(milliseconds);
  }
}

void EventStreamReader::dispatch(const Listener& listener) {
  last_id_ = id_;
  if (has_data_) listener({type_.empty() ? "message" : std::string_view(type_), data_, is_too_long_});
  type_.clear();
  data_.clear();
  has_data_ = is_too_long_ = false;
}

}  // namespace mcph
