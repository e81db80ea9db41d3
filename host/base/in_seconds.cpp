#include "base/in_seconds.hpp"

namespace mcph {

std::string in_seconds(std::chrono::milliseconds time) {
  constexpr std::chrono::milliseconds::rep ms_per_s = 1000;
  constexpr std::chrono::milliseconds::rep ms_per_tenth = 100;
  auto text = std::to_string(time.count() / ms_per_s);
  if (const auto tenths = time.count() % ms_per_s / ms_per_tenth; tenths != 0) text += "." + std::to_string(tenths);
  return text + " s";
}

}  // namespace mcph
