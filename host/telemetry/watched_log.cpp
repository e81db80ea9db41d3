#include "telemetry/watched_log.hpp"

#include <algorithm>
#include <utility>

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
    if (lines_.size() >= max_lines || missed_ > 0) {
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

WatchedLog::News WatchedLog::since(std::uint64_t seen, std::size_t most) const {
  const MutexLock lock(mutex_);
  News news{.last = last_};
  const auto missing = static_cast<std::size_t>(last_ - std::min(seen, last_));
  const auto count = std::min({missing, most, kept_.size()});
  news.lines.assign(kept_.end() - static_cast<std::ptrdiff_t>(count), kept_.end());
  news.left_out = missing - count;
  return news;
}

void WatchedLog::write(Level level, std::string_view event, Fields fields) {
  const bool is_written = log_.writes(level);
  // Also what it drops: there may be a log around it that remembers more.
  log_.write(level, event, fields);
  if (!is_written && level < watched_from_.load()) return;
  std::string line;
  for (const auto& watcher : keep(is_written ? json_line(level, event, fields, max_kept_field_bytes) : std::string())) {
    if (!watcher->wants(level, event, fields)) continue;
    if (line.empty()) line = json_line(level, event, fields);
    watcher->take(line);
  }
}

WatchedLog::Watchers WatchedLog::keep(std::string line) {
  const MutexLock lock(mutex_);
  if (!line.empty()) {
    ++last_;
    kept_bytes_ += line.size();
    kept_.push_back(std::move(line));
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
