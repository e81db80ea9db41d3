#include "plugin/isolated/worker_reports.hpp"

#include <algorithm>
#include <utility>

#include "base/utf8.hpp"
#include "telemetry/log_events.hpp"

namespace mcph {
namespace {

constexpr std::size_t max_logged_bytes = 8192;
constexpr std::size_t max_fault_bytes = 100;
// As many threads as may run the plugin, but no more than a log can bear; a trace has 64 lines.
constexpr std::size_t max_traces = 32;
constexpr std::size_t max_trace_lines = 100;
constexpr std::size_t max_trace_line_bytes = 1024;

}  // namespace

Log::Field log_field(const PluginIdentity& plugin) {
  if (plugin.name.empty()) return {"file", plugin.file.string()};
  return {"plugin", plugin.name};
}

void WorkerReports::printed(std::string_view line) {
  if (line.empty()) return;
  last_lines_.add(line);
  log_.info(plugin_output, {log_field(identity_), {"text", line}});
}

void WorkerReports::take(const to_host::Logged& logged) {
  const auto level = static_cast<Log::Level>(std::clamp(logged.level, static_cast<std::int32_t>(Log::Level::debug),
                                                        static_cast<std::int32_t>(Log::Level::error)));
  const auto event = worker_log_events.at(logged.event);
  const auto text = logged.text.substr(0, max_logged_bytes);
  const Log::Field file{"file", setup_.file.string()};
  switch (static_cast<WorkerLogEvent>(logged.event)) {
    case WorkerLogEvent::says:
      if (level == Log::Level::error) calls_.went_wrong("it says: " + std::string(text));
      return log_.write(level, event, {log_field(identity_), {"text", text}});
    case WorkerLogEvent::misbehaved:
      return log_.write(level, event, {file, {"reason", text}});
    case WorkerLogEvent::is_at_limit:
      if (identity_.name.empty()) return log_.write(level, event, {file, {"reason", text}});
      return log_.write(level, event, {file, {"plugin", identity_.name}, {"reason", text}});
    case WorkerLogEvent::host_function_failed:
    case WorkerLogEvent::no_data_directory:
      return log_.write(level, event, {log_field(identity_), {"reason", text}});
  }
}

void WorkerReports::take(const to_host::Crashed& crashed) {
  const auto signal = utf8_prefix(crashed.signal, max_fault_bytes);
  fault_ = signal.substr(std::min(signal.find_first_of(" ,"), signal.size()));
  begin_trace("the plugin crashed: SIG" + std::string(signal) + "; backtrace:");
}

void WorkerReports::take(const to_host::PlaceFollows& /*place*/) {
  begin_trace("a thread that runs the plugin; backtrace:");
}

void WorkerReports::begin_trace(std::string title) {
  keeps_lines_ = traces_.size() < max_traces;
  if (keeps_lines_) traces_.push_back({std::move(title), {}});
}

void WorkerReports::take(const to_host::StackLine& line) {
  if (!keeps_lines_ || traces_.empty() || traces_.back().lines.size() == max_trace_lines) return;
  // It becomes an argument of a program.
  const auto end = std::min(line.text.find('\0'), max_trace_line_bytes);
  traces_.back().lines.emplace_back(line.text.substr(0, end));
}

std::vector<StackTrace> WorkerReports::traces() {
  return std::exchange(traces_, {});
}

void WorkerReports::take(const to_host::LacksMemory& /*lack*/) {
  if (setup_.limits.memory_bytes == 0) return;
  lacked_memory_ = true;
  limit_reports_.reached(Limit::memory, words_for_lack_of_memory(setup_.limits));
}

void WorkerReports::left_processes(const ProcessMark::Ended& ended) {
  log_.warning("plugin left processes",
               {log_field(identity_),
                {"processes", ended.had_left},
                {"consequence", ended.all ? "they were ended with its own, although they had left it"
                                          : "they were ended with its own, but they start others faster than these are "
                                            "found, so that some may be left; end them by hand"}});
}

std::string WorkerReports::end(const std::string& how) {
  const auto fault = std::exchange(fault_, {});
  const auto whole = how.starts_with("was killed by SIG") ? how + fault : how;
  return std::exchange(lacked_memory_, false) ? whole + ", after " + words_for_lack_of_memory(setup_.limits) : whole;
}

}  // namespace mcph
