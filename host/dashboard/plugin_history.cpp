#include "dashboard/plugin_history.hpp"

#include <algorithm>
#include <span>

#include "base/absolute_path.hpp"
#include "base/utf8.hpp"
#include "telemetry/log_events.hpp"
#include "telemetry/log_text.hpp"

namespace mcph {
namespace {

// What becomes of the versions of a file, as sources/folder and plugin say it.
constexpr std::string_view version_events[] = {
    "plugin loaded", "plugin replaced",   plugin_refused,       "plugin withdrawn", "plugin disabled",
    plugin_crashed,  plugin_cannot_start, plugin_stopped_badly, "plugin restarted", "plugin quarantined"};
constexpr std::string_view backtrace_event = "plugin backtrace";
// Of which the frames follow.
constexpr std::string_view events_with_backtrace[] = {plugin_crashed, plugin_cannot_start, plugin_stopped_badly};

bool is_one_of(std::string_view event, std::span<const std::string_view> events) {
  return std::ranges::find(events, event) != events.end();
}

std::string_view value_of(Log::Fields fields, std::string_view name) {
  const auto* const found = std::ranges::find(fields, name, &Log::Field::name);
  return found == fields.end() ? std::string_view() : std::string_view(found->value);
}

}  // namespace

void PluginHistory::write(Level level, std::string_view event, Fields fields) {
  log_.write(level, event, fields);
  const bool is_frame = event == backtrace_event;
  if (!is_frame && !is_one_of(event, version_events)) return;
  const auto plugin = value_of(fields, "plugin");
  const auto file = value_of(fields, "file");
  const MutexLock lock(mutex_);
  if (is_frame && !plugin.empty()) note_frame(plugin, value_of(fields, "text"));
  if (is_one_of(event, events_with_backtrace)) backtraces_.erase(std::string(plugin));
  if (is_frame || file.empty()) return;
  auto& events = lines_of(events_, absolute_path(file).string());
  events.push_front(json_line(level, event, fields, max_field_bytes));
  if (events.size() > max_events) events.pop_back();
}

void PluginHistory::note_frame(std::string_view plugin, std::string_view frame) {
  auto& frames = lines_of(backtraces_, plugin);
  if (frames.size() < max_frames) frames.emplace_back(utf8_prefix(frame, max_field_bytes));
}

std::deque<std::string>& PluginHistory::lines_of(LinesByName& all, std::string_view name) {
  const std::string key(name);
  if (all.size() >= max_plugins && !all.contains(key))
    all.erase(std::ranges::min_element(all, {}, [](const auto& each) { return each.second.told_at; }));
  auto& [lines, told_at] = all[key];
  told_at = ++noted_;
  return lines;
}

std::vector<std::string> PluginHistory::events_of(const std::string& file) const {
  const MutexLock lock(mutex_);
  return told_of(events_, file);
}

std::vector<std::string> PluginHistory::backtrace_of(const std::string& plugin) const {
  const MutexLock lock(mutex_);
  return told_of(backtraces_, plugin);
}

std::vector<std::string> PluginHistory::told_of(const LinesByName& all, const std::string& name) {
  const auto found = all.find(name);
  if (found == all.end()) return {};
  return {found->second.lines.begin(), found->second.lines.end()};
}

}  // namespace mcph
