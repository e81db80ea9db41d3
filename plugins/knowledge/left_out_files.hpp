// LeftOutFiles: which files of a folder the index has no room for, and what is to be said of them. Used by one thread.
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>

namespace plugins::knowledge {

class LeftOutFiles {
 public:
  // Everything is looked at anew.
  void begin() {
    names_.clear();
    count_ = 0;
  }
  void add(const std::string& path);
  bool is_empty() const { return count_ == 0; }

  // "7 files, such as a.md", if these are more than when this was last asked.
  std::optional<std::string> news();

 private:
  // By which one that is looked at again is known.
  static constexpr std::size_t max_names = 1000;

  std::set<std::string> names_;  // the first max_names that were added
  std::size_t count_ = 0;
  std::size_t told_ = 0;
};

}  // namespace plugins::knowledge
