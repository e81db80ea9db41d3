#include "plugin/isolated/worker_reports.hpp"

#include <algorithm>
#include <utility>

#include "base/utf8.hpp"
#include "telemetry/log_events.hpp"

namespace mcph {
namespace {

constexpr std::size_t max_logged_bytes = 8192;
constexpr std::size_t max_fault_bytes = 100;

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
  backtrace("the plugin crashed: SIG" + std::string(signal) + "; backtrace:");
}

void WorkerReports::take(const to_host::PlaceFollows& /*place*/) {
  backtrace("a thread that runs the plugin; backtrace:");
}

void WorkerReports::take(const to_host::StackLine& line) {
  // The private copy is nobody's concern, and gone when somebody reads this.
  std::string text(line.text.substr(0, max_logged_bytes));
  if (const auto found = text.find(library_); found != std::string::npos) {
    text.replace(found, library_.size(), setup_.file.filename().string());
  }
  backtrace(text);
}

void WorkerReports::backtrace(std::string_view line) {
  log_.error("plugin backtrace", {log_field(identity_), {"text", line}});
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
