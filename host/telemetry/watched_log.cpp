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

std::shared_ptr<WatchedLog::Watcher> WatchedLog::watch(Wants wants, Level from, std::vector<std::string>* kept) {
  auto watcher = std::make_shared<Watcher>(std::move(wants), from);
  const MutexLock lock(mutex_);
  if (watchers().size() >= max_watchers) return nullptr;
  watchers_.push_back(watcher);
  watched_from_ = std::min(watched_from_.load(), from);
  if (kept != nullptr) kept->assign(kept_.begin(), kept_.end());
  return watcher;
}

void WatchedLog::write(Level level, std::string_view event, Fields fields) {
  std::string line;
  const auto text = [&]() -> const std::string& {
    if (line.empty()) {
      line = R"({"time":")" + time_text(std::chrono::system_clock::now()) + R"(","level":")";
      line.append(name_of(level)).append(R"(",)").append(json_members(event, fields)) += '}';
    }
    return line;
  };
  const bool is_written = log_.writes(level);
  if (is_written) log_.write(level, event, fields);
  if (!is_written && level < watched_from_.load()) return;
  for (const auto& watcher : is_written ? keep(text()) : keep({})) {
    if (watcher->wants(level, event, fields)) watcher->take(text());
  }
}

WatchedLog::Watchers WatchedLog::keep(const std::string& line) {
  const MutexLock lock(mutex_);
  if (!line.empty()) {
    kept_.push_back(line);
    kept_bytes_ += line.size();
  }
  while (kept_.size() > max_kept_lines || kept_bytes_ > max_kept_bytes) {
    kept_bytes_ -= kept_.front().size();
    kept_.pop_front();
  }
  return watchers_.empty() ? Watchers() : watchers();
}

WatchedLog::Watchers WatchedLog::watchers() {
  Watchers all;
  auto from = Level::off;
  std::erase_if(watchers_, [&](const auto& each) {
    auto watcher = each.lock();
    if (watcher == nullptr) return true;
    from = std::min(from, watcher->from_);
    all.push_back(std::move(watcher));
    return false;
  });
  watched_from_ = from;
  return all;
}

}  // namespace mcph
