#include "sources/upstream/message_lines.hpp"

#include <algorithm>

namespace mcph {

void MessageLines::add(std::string_view bytes) {
  while (!bytes.empty()) {
    const auto end = bytes.find('\n');
    add_piece(bytes.substr(0, end));
    if (end == std::string_view::npos) return;
    end_line();
    bytes.remove_prefix(end + 1);
  }
}

void MessageLines::add_piece(std::string_view piece) {
  if (passed_over_ == 0 && line_.size() + piece.size() <= max_bytes_) {
    line_ += piece;
    return;
  }
  if (passed_over_ == 0) {
    passed_over_ = line_.size();
    end_ = line_.substr(line_.size() - std::min(line_.size(), told_bytes));
    line_.append(piece.substr(0, told_bytes)).resize(std::min(line_.size(), told_bytes));
    line_.shrink_to_fit();
  }
  passed_over_ += piece.size();
  end_ += piece.substr(piece.size() - std::min(piece.size(), told_bytes));
  if (end_.size() > told_bytes) end_.erase(0, end_.size() - told_bytes);
}

void MessageLines::end_line() {
  if (passed_over_ > 0) {
    if (end_.ends_with('\r')) end_.pop_back();
    listener_.long_line(passed_over_, line_, end_);
    passed_over_ = 0;
    end_.clear();
  } else {
    std::string_view line = line_;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (!line.empty()) listener_.line(line);
  }
  line_.clear();
  // One long message does not make room for all that follow.
  constexpr std::size_t kept = std::size_t{64} << 10;
  if (line_.capacity() > kept) line_.shrink_to_fit();
}

}  // namespace mcph
