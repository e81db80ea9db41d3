// What a worker prints, line by line. Owned by its channel; one thread at a time.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "base/file_descriptor.hpp"

namespace mcph {

class PrintedLines {
 public:
  static constexpr std::size_t max_line_bytes = 8192;  // a longer line is given in pieces

  // What is printed there is given to `take` without its end of line. `output` is the reading end of a pipe, and does
  // not block.
  PrintedLines(FileDescriptor output, std::function<void(std::string_view line)> take)
      : output_(std::move(output)), take_(std::move(take)) {}

  enum class Read {
    some,  // what there was
    much,  // as much as is read at once; there may be more
    end    // nothing more will come
  };
  Read read();
  // Gives the line that was not ended.
  void end();

 private:
  void add(std::string_view bytes);

  const FileDescriptor output_;
  const std::function<void(std::string_view)> take_;
  std::string line_;
};

}  // namespace mcph
