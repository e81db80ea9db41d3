// What is said where a plugin comes to one of its limits: always with the member of its NAME.json that sets it, if one
// does. To the client each time; to the operator once a limit and version, because a plugin that lives at its limit
// would say little else. So it is with one that answers something invalid.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <string>
#include <string_view>

#include "plugin/plugin.hpp"
#include "telemetry/log.hpp"

namespace mcph {

// "it could not allocate memory, of which limits.memoryBytes allows it 200000000 bytes"
std::string words_for_lack_of_memory(const PluginLimits& limits);
// "sleep took longer than the 300 s that limits.callTimeMs allows"
std::string words_for_late_call(const Call& call, const PluginLimits& limits);
// "the 300 s that limits.callTimeMs allows", or "the 2 s that its plugin allows it"
std::string words_for_time_limit(const Call& call, const PluginLimits& limits);
// "1024 calls are in flight, as many as limits.callsInFlight allows"
std::string words_for_many_calls(const PluginLimits& limits);
// "16 calls run at once, as many as limits.concurrentCalls allows; further ones wait"
std::string words_for_waiting_calls(const PluginLimits& limits);
// "it used more than the 10 % of a processor that limits.cpuPercent allows; it is stopped in between"
std::string words_for_cpu_time(const PluginLimits& limits);
// "answered with 1001 bytes, more than the 1000 that limits.resultBytes allows"
std::string words_for_large_answer(std::size_t bytes, const PluginLimits& limits);

enum class Limit { call_time, concurrent_calls, calls_in_flight, result_bytes, memory, cpu_time, metrics };

// Owned by a plugin; any thread.
class LimitReports {
 public:
  // The log and the identity outlive it.
  LimitReports(Log& log, const PluginIdentity& plugin) : log_(log), plugin_(plugin) {}

  void reached(Limit limit, std::string_view words);
  void answered_wrongly(std::string_view reason);
  bool has_told(Limit limit) const { return told_.at(static_cast<std::size_t>(limit)).test(); }

 private:
  Log& log_;
  const PluginIdentity& plugin_;
  std::array<std::atomic_flag, static_cast<std::size_t>(Limit::metrics) + 1> told_ = {};
  std::atomic_flag told_of_answer_ = {};
};

}  // namespace mcph
