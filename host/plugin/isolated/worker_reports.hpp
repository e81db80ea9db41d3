// What a worker says for the host's log, and what is known of its end when it ends: lines that it prints, what its own
// code logs, its crash, the lack of its memory. Owned by the plugin; of whoever reads the worker, one thing at a time.
#pragma once

#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "plugin/call_table.hpp"
#include "plugin/isolated/last_lines.hpp"
#include "plugin/isolated/process_mark.hpp"
#include "plugin/isolated/stack_trace.hpp"
#include "plugin/isolated/worker_messages.hpp"
#include "plugin/limit_reports.hpp"
#include "plugin/plugin_setup.hpp"
#include "telemetry/log.hpp"

namespace mcph {

// Who it is in the log. The field "plugin" is always the name that the plugin gives itself; until it has told that,
// there is its file.
Log::Field log_field(const PluginIdentity& plugin);

class WorkerReports {
 public:
  // All of it outlives this object.
  WorkerReports(Log& log, LimitReports& limit_reports, CallTable& calls, const PluginIdentity& identity,
                const PluginSetup& setup)
      : log_(log), limit_reports_(limit_reports), calls_(calls), identity_(identity), setup_(setup) {}

  template <class Message>
  static constexpr bool takes =
      std::is_same_v<Message, to_host::Logged> || std::is_same_v<Message, to_host::Crashed> ||
      std::is_same_v<Message, to_host::PlaceFollows> || std::is_same_v<Message, to_host::StackLine> ||
      std::is_same_v<Message, to_host::LacksMemory>;

  void printed(std::string_view line);
  void take(const to_host::Logged& logged);
  void take(const to_host::Crashed& crashed);
  void take(const to_host::PlaceFollows& place);
  void take(const to_host::StackLine& line);
  void take(const to_host::LacksMemory& lack);
  void left_processes(const ProcessMark::Ended& ended);

  // When the process has ended: how, with what it has said of itself, and what it printed last. What is said from then
  // on is of the next one.
  std::string end(const std::string& how);
  std::string last_lines() { return last_lines_.take(); }
  // Where it was.
  std::vector<StackTrace> traces();

 private:
  void begin_trace(std::string title);

  Log& log_;
  LimitReports& limit_reports_;
  CallTable& calls_;
  const PluginIdentity& identity_;
  const PluginSetup& setup_;
  LastLines last_lines_;
  bool lacked_memory_ = false;
  std::string fault_;  // words that follow the name of a signal
  std::vector<StackTrace> traces_;
  bool keeps_lines_ = false;  // of the trace that has begun
};

}  // namespace mcph
