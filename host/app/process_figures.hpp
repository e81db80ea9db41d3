// What the system says of this process, as Prometheus names it. A value and a free function; any thread.
#pragma once

#include <cstdint>

namespace mcph {

struct ProcessFigures {
  double cpu_seconds = 0;
  std::uint64_t resident_bytes = 0;
  std::uint64_t virtual_bytes = 0;
  std::uint64_t open_descriptors = 0;
  std::uint64_t max_descriptors = 0;
  double start_seconds = 0;  // since 1970
};

// What cannot be found out is 0.
ProcessFigures process_figures();

}  // namespace mcph
