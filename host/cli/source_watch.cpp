#include "cli/source_watch.hpp"

#include <string>
#include <system_error>
#include <utility>

namespace mcph {
namespace {

namespace fs = std::filesystem;

bool holds_no_sources(const fs::path& folder) {
  const auto name = folder.filename().string();
  return name.starts_with('.') || name == "build" || name.starts_with("build-") || name.starts_with("build_") ||
         name.starts_with("cmake-build-") || name == "target" || name == "node_modules" || name == "zig-out" ||
         name == "__pycache__";
}

}  // namespace

SourceWatch::SourceWatch(fs::path folder, const std::set<fs::path>& left_out) : folder_(std::move(folder)) {
  // As a look finds them.
  std::error_code error;
  for (const auto& each : left_out)
    left_out_.insert(folder_ / fs::relative(each, folder_, error));
  seen_ = look();
}

SourceWatch::Times SourceWatch::look() const {
  Times times;
  // Folder by folder, so that one that goes while it is being looked at takes only itself away.
  for (std::vector<fs::path> folders{folder_}; !folders.empty();) {
    const auto folder = std::move(folders.back());
    folders.pop_back();
    std::error_code error;
    for (fs::directory_iterator each(folder, error), end; !error && each != end; each.increment(error)) {
      if (left_out_.contains(each->path())) continue;
      std::error_code gone;
      if (each->is_symlink(gone) && each->is_directory(gone)) continue;
      if (each->is_directory(gone)) {
        if (!holds_no_sources(each->path())) folders.push_back(each->path());
      } else if (each->is_regular_file(gone) && !each->path().filename().string().starts_with('.')) {
        if (const auto time = each->last_write_time(gone); !gone) times.emplace(each->path(), time);
      }
    }
  }
  return times;
}

std::vector<fs::path> SourceWatch::changes() {
  auto now = look();
  std::vector<fs::path> changed;
  for (const auto& [path, time] : now) {
    const auto before = seen_.find(path);
    if (before == seen_.end() || before->second != time) changed.push_back(path);
  }
  for (const auto& [path, time] : seen_) {
    if (!now.contains(path)) changed.push_back(path);
  }
  seen_ = std::move(now);
  return changed;
}

void SourceWatch::leave_out(const fs::path& path) {
  left_out_.insert(path);
  seen_.erase(path);
}

}  // namespace mcph
