#include "plugin/limit_reports.hpp"

#include "base/in_seconds.hpp"
#include "plugin/call_deadlines.hpp"

namespace mcph {

std::string words_for_late_call(const Call& call, const PluginLimits& limits) {
  return call.component() + " took longer than " + words_for_time_limit(call, limits);
}

std::string words_for_time_limit(const Call& call, const PluginLimits& limits) {
  const auto time = CallDeadlines::time_of(call, limits.call_time);
  return "the " + in_seconds(time) + " that " +
         (time == call.time_limit() ? "its plugin allows it" : "limits.callTimeMs allows");
}

std::string words_for_many_calls(const PluginLimits& limits) {
  return std::to_string(limits.calls_in_flight) + " calls are in flight, as many as limits.callsInFlight allows";
}

std::string words_for_waiting_calls(const PluginLimits& limits) {
  return std::to_string(limits.concurrent_calls) + (limits.concurrent_calls == 1 ? " call runs" : " calls run") +
         " at once, as many as limits.concurrentCalls allows; further ones wait";
}

std::string words_for_lack_of_memory(const PluginLimits& limits) {
  return "it could not allocate memory, of which limits.memoryBytes allows it " + std::to_string(limits.memory_bytes) +
         " bytes";
}

std::string words_for_cpu_time(const PluginLimits& limits) {
  return "it used more than the " + std::to_string(limits.cpu_percent) +
         " % of a processor that limits.cpuPercent allows; it is stopped in between";
}

std::string words_for_large_answer(std::size_t bytes, const PluginLimits& limits) {
  return "answered with " + std::to_string(bytes) + " bytes, more than the " + std::to_string(limits.result_bytes) +
         " that limits.resultBytes allows";
}

void LimitReports::reached(Limit limit, std::string_view words) {
  if (told_.at(static_cast<std::size_t>(limit)).test_and_set()) return;
  // It may lack memory before it has told its name.
  if (plugin_.name.empty()) {
    return log_.warning("plugin is at a limit", {{"file", plugin_.file.string()}, {"reason", words}});
  }
  log_.warning("plugin is at a limit", {{"file", plugin_.file.string()}, {"plugin", plugin_.name}, {"reason", words}});
}

void LimitReports::answered_wrongly(std::string_view reason) {
  if (told_of_answer_.test_and_set()) return;
  log_.error("plugin misbehaved", {{"file", plugin_.file.string()},
                                   {"plugin", plugin_.name},
                                   {"reason", reason},
                                   {"next", "further answers that are invalid are counted as errors in the status"}});
}

}  // namespace mcph
