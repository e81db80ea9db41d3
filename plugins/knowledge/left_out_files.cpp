#include "knowledge/left_out_files.hpp"

#include <utility>

namespace plugins::knowledge {

void LeftOutFiles::add(const std::string& path) {
  if (names_.contains(path)) return;
  if (names_.size() < max_names) names_.insert(path);
  ++count_;
}

std::optional<std::string> LeftOutFiles::news() {
  if (count_ <= std::exchange(told_, count_)) return std::nullopt;
  return std::to_string(count_) + " files, such as " + *names_.begin();
}

}  // namespace plugins::knowledge
