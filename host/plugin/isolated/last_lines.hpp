// The last lines that a process has printed, for whoever tells of its end: often they alone say why it ended. Bounded.
// A value; one thread at a time.
#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>

namespace mcph {

class LastLines {
 public:
  static constexpr std::size_t max_lines = 10;
  static constexpr std::size_t max_line_bytes = 200;  // of one, which is cut off there
  static constexpr std::size_t max_bytes = 800;       // of all

  // Without its end. One without text is left out, and so are the frames of boxes.
  void add(std::string_view line);

  // "LINE | LINE"; empty if it has printed nothing since.
  std::string take();

 private:
  std::deque<std::string> lines_;
  std::size_t bytes_ = 0;
};

}  // namespace mcph
