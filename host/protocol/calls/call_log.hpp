// A line of the log for each call, at level debug: what was asked of which plugin, how it ended, how long it took; at
// level trace with what the plugin was given, and what it answered. What a line needs is gathered only where somebody
// wants it. Owned by whoever answers; any thread.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "protocol/message.hpp"
#include "telemetry/log.hpp"

namespace mcph {

class CallLog {
 public:
  // The log outlives it.
  explicit CallLog(Log& log) : log_(log) {}

  bool is_on() const { return log_.writes(Log::Level::debug); }

  struct End {
    std::string_view method;
    std::string_view component;
    std::string_view plugin;
    std::string outcome;  // "ok", "tool error", "error -32602", "asks the client"
    std::chrono::steady_clock::duration took;
    std::string_view error = {};
    std::string_view params = {};  // as JSON text, as the plugin was given them
    std::string_view answer = {};  // likewise what it answered, if that could be read
  };
  // Of a call that a plugin was given.
  void ended(const End& end) const;
  // Of what a plugin says while it works, at level trace: "notifications/progress", "notifications/message".
  void notified(std::string_view notification, const std::string& component, const std::string& plugin,
                std::string_view text) const;
  // Of a request that came to no plugin.
  void refused(std::string_view method, std::string_view component, std::string_view why) const;

  // What the request asks for; empty where the log is off.
  std::string component_of(const Message& request) const;

 private:
  Log& log_;
};

}  // namespace mcph
