#include "telemetry/watched_log.hpp"

#include <algorithm>
#include <utility>

#include "base/json_text.hpp"
#include "base/time_text.hpp"
#include "telemetry/log_text.hpp"

namespace mcph {

std::optional<std::string> WatchedLog::Watcher::next(std::chrono::milliseconds patience) {
  const auto end = std::chrono::steady_clock::now() + patience;
  MutexLock lock(mutex_);
  while (lines_.empty() && missed_ == 0) {
    if (!filled_.wait_until(lock, end)) return std::nullopt;
  }
  if (lines_.empty()) return R"({"event":"missed","lines":)" + std::to_string(std::exchange(missed_, 0)) + "}";
  auto line = std::move(lines_.front());
  lines_.pop_front();
  return line;
}

void WatchedLog::Watcher::take(const std::string& line) {
  {
    const MutexLock lock(mutex_);
    // What has been left out is said before there is more.
    if (lines_.size() >= max_lines || (missed_ > 0 && !lines_.empty())) {
      ++missed_;
      return;
    }
    lines_.push_back(line);
  }
  filled_.notify_one();
}

std::shared_ptr<WatchedLog::Watcher> WatchedLog::watch(Wants wants) {
  auto watcher = std::make_shared<Watcher>(std::move(wants));
  const MutexLock lock(mutex_);
  std::erase_if(watchers_, [](const auto& each) { return each.expired(); });
  if (watchers_.size() >= max_watchers) return nullptr;
  watchers_.push_back(watcher);
  is_watched_ = true;
  return watcher;
}

void WatchedLog::write(Level level, std::string_view event, Fields fields) {
  if (log_.writes(level)) log_.write(level, event, fields);
  if (!is_watched_.load()) return;
  std::string line;
  for (const auto& watcher : watchers()) {
    if (!watcher->wants(event, fields)) continue;
    if (line.empty())
      line = R"({"time":")" + time_text(std::chrono::system_clock::now()) + R"(",)" + json_members(event, fields) + "}";
    watcher->take(line);
  }
}

std::vector<std::shared_ptr<WatchedLog::Watcher>> WatchedLog::watchers() {
  std::vector<std::shared_ptr<Watcher>> all;
  const MutexLock lock(mutex_);
  for (const auto& each : watchers_) {
    if (auto watcher = each.lock()) all.push_back(std::move(watcher));
  }
  if (all.empty()) is_watched_ = false;
  return all;
}

}  // namespace mcph
