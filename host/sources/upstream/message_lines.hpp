// Messages as lines, as they come in pieces from a program's standard output. What is longer than allowed is read to
// its end and not kept, but for what tells which request it answers. One thread at a time.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace mcph {

class MessageLines {
 public:
  struct Listener {
    std::function<void(std::string_view line)> line;
    // Of a line that was too long: its size, its first and its last bytes.
    std::function<void(std::size_t size, std::string_view beginning, std::string_view end)> long_line;
  };

  MessageLines(std::size_t max_bytes, Listener listener) : max_bytes_(max_bytes), listener_(std::move(listener)) {}

  void add(std::string_view bytes);

 private:
  static constexpr std::size_t told_bytes = 256;

  void add_piece(std::string_view piece);
  void end_line();

  const std::size_t max_bytes_;
  const Listener listener_;
  std::string line_;             // of one that is too long: its beginning
  std::string end_;              // of one that is too long
  std::size_t passed_over_ = 0;  // its bytes so far
};

}  // namespace mcph
