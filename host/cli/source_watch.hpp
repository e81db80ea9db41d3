// Notices when the sources of a project change, by looking at all of them: what a compiler makes of them is left out.
// One thread.
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <vector>

namespace mcph {

class SourceWatch {
 public:
  // Hidden folders, and those that builds make (`build`, `build-*`, `target`, `node_modules` and the like), are not
  // looked at, nor are these.
  SourceWatch(std::filesystem::path folder, const std::set<std::filesystem::path>& left_out);

  // What is new, changed or gone since the last time; at first nothing.
  std::vector<std::filesystem::path> changes();
  // From now on it is no source.
  void leave_out(const std::filesystem::path& path);

 private:
  using Times = std::map<std::filesystem::path, std::filesystem::file_time_type>;
  Times look() const;

  const std::filesystem::path folder_;
  std::set<std::filesystem::path> left_out_;
  Times seen_;
};

}  // namespace mcph
