#include "dashboard/recent_log.hpp"

#include <algorithm>
#include <utility>

#include "base/json_text.hpp"
#include "base/time_text.hpp"
#include "base/utf8.hpp"
#include "telemetry/log_events.hpp"
#include "telemetry/log_text.hpp"

namespace mcph {
namespace {

// What becomes of the versions of a file, as sources/folder and plugin say it.
constexpr std::string_view version_events[] = {"plugin loaded",       "plugin replaced", plugin_refused,
                                               "plugin withdrawn",    "plugin disabled", plugin_crashed,
                                               "plugin cannot start", "plugin restarted"};
constexpr std::string_view backtrace_event = "plugin backtrace";

std::string line_of(Log::Level level, std::string_view event, Log::Fields fields) {
  auto line = R"({"time":")" + time_text(std::chrono::system_clock::now()) + R"(","level":")";
  line.append(name_of(level)).append(R"(","event":)");
  append_json_string(line, event);
  line += R"(,"fields":{)";
  for (bool is_first = true; const auto& field : fields) {
    if (!std::exchange(is_first, false)) line += ',';
    append_json_string(line, field.name);
    line += ':';
    field.is_number ? void(line += field.value)
                    : append_json_string(line, utf8_prefix(field.value, RecentLog::max_field_bytes));
  }
  line += "}}";
  return line;
}

std::string_view value_of(Log::Fields fields, std::string_view name) {
  const auto* const found = std::ranges::find(fields, name, &Log::Field::name);
  return found == fields.end() ? std::string_view() : std::string_view(found->value);
}

// What is kept of one plugin; null where there are too many of them.
template <class Kept>
Kept* kept_of(std::map<std::string, Kept>& all, std::string_view plugin) {
  const std::string name(plugin);
  if (plugin.empty() || (all.size() >= RecentLog::max_plugins && !all.contains(name))) return nullptr;
  return &all[name];
}

}  // namespace

void RecentLog::write(Level level, std::string_view event, Fields fields) {
  if (!log_.writes(level)) return;
  log_.write(level, event, fields);
  auto line = line_of(level, event, fields);
  const MutexLock lock(mutex_);
  note_event(event, fields, line);
  keep(std::move(line));
}

void RecentLog::keep(std::string line) {
  ++last_;
  bytes_ += line.size();
  lines_.push_back(std::move(line));
  while (lines_.size() > max_lines || bytes_ > max_bytes) {
    bytes_ -= lines_.front().size();
    lines_.pop_front();
  }
}

void RecentLog::note_event(std::string_view event, Fields fields, const std::string& line) {
  if (event == backtrace_event) {
    auto* const frames = kept_of(backtraces_, value_of(fields, "plugin"));
    if (frames != nullptr && frames->size() < max_frames)
      frames->emplace_back(utf8_prefix(value_of(fields, "text"), max_field_bytes));
    return;
  }
  if (std::ranges::find(version_events, event) == std::end(version_events)) return;
  // Its frames follow.
  if (event == plugin_crashed) backtraces_.erase(std::string(value_of(fields, "plugin")));
  auto* const history = kept_of(histories_, value_of(fields, "file"));
  if (history == nullptr) return;
  history->push_front(line);
  if (history->size() > max_events) history->pop_back();
}

RecentLog::News RecentLog::since(std::uint64_t seen, std::size_t most) const {
  const MutexLock lock(mutex_);
  News news{.last = last_};
  const auto missing = static_cast<std::size_t>(last_ - std::min(seen, last_));
  const auto count = std::min({missing, most, lines_.size()});
  news.lines.assign(lines_.end() - static_cast<std::ptrdiff_t>(count), lines_.end());
  news.left_out = missing - count;
  return news;
}

std::vector<std::string> RecentLog::history_of(const std::string& file) const {
  const MutexLock lock(mutex_);
  const auto found = histories_.find(file);
  return found == histories_.end() ? std::vector<std::string>()
                                   : std::vector<std::string>(found->second.begin(), found->second.end());
}

std::vector<std::string> RecentLog::backtrace_of(const std::string& plugin) const {
  const MutexLock lock(mutex_);
  const auto found = backtraces_.find(plugin);
  return found == backtraces_.end() ? std::vector<std::string>() : found->second;
}

}  // namespace mcph
