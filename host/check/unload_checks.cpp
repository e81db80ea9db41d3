// What its library leaves in a process: symbols, threads after its end, and itself.
#include <array>

#include "base/json_text.hpp"
#include "check/inspection.hpp"
#include "plugin/library/library_file.hpp"

namespace mcph {
namespace {

void check_symbols(Inspection& inspection, CheckReport& report) {
  const auto facts = inspect_library(inspection.plugin.file());
  if (facts.has_error()) return report.fail(facts.error().message);
  if (facts->other_symbol_count > 0) {
    report.warn("it exports " + std::to_string(facts->other_symbol_count) +
                " symbols beside its entry function (such as " + facts->other_symbol_examples.front() +
                "); compile it with -fvisibility=hidden and a version script, as add_mcp_plugin() does");
  }
  if (facts->has_text_relocations) {
    report.warn(
        "it has text relocations, so that its code is no memory that processes share; compile all of it with "
        "-fPIC");
  }
}

const ProbeReport& probed(Inspection& inspection) {
  if (inspection.probed) return *inspection.probed;
  ProbeTask task{
      .file = inspection.plugin.file(), .data = inspection.options.data, .timeout = inspection.options.timeout};
  if (const auto configuration = inspection.plugin.configuration(); configuration.has_value())
    task.configuration = *configuration;
  for (const auto& call : inspection.sound_calls())
    task.calls.push_back({call.method, dump(call.params)});
  return inspection.probed.emplace(inspection.probe.run(task));
}

// Whether it came to the end of stop.
bool is_stopped(const ProbeReport& probe) {
  return probe.step == "unload" || probe.step == "done";
}

void check_after_stop(Inspection& inspection, CheckReport& report) {
  if (inspection.stops_badly) return report.skip("it does not stop well");
  const auto& probe = probed(inspection);
  if (!probe.refused.empty()) return report.skip("it cannot be used in a process that it shares: " + probe.refused);
  if (!is_stopped(probe)) {
    return report.fail("in a process that it shares, it did not come back from its " + probe.step + ": its process " +
                       (probe.end.empty() ? "ended" : probe.end) +
                       "; as \"isolation\": \"in-process\" it would take the host with it");
  }
  if (probe.threads_left > 0) {
    report.fail(std::to_string(probe.threads_left) +
                " of its threads run after stop has returned; join each of them in stop");
  }
  for (const auto& said : probe.said)
    report.fail("it called the host after stop (" + said + "); the host is gone by then");
  if (probe.descriptors_left > 0) {
    report.fail("it leaves " + std::to_string(probe.descriptors_left) +
                " descriptors open after stop; close what start and calls have opened");
  }
}

void check_unload(Inspection& inspection, CheckReport& report) {
  if (inspection.stops_badly) return report.skip("it does not stop well");
  const auto& probe = probed(inspection);
  if (!probe.refused.empty()) return report.skip("it cannot be used in a process that it shares: " + probe.refused);
  if (!is_stopped(probe)) return report.skip("it did not stop");
  if (probe.threads_left > 0) return report.skip("its threads run after its stop");
  if (probe.never_unloads) return report.skip("it asks not to be, by MCP_PLUGIN_NEVER_UNLOAD");
  if (!probe.end.empty()) {
    return report.fail("its process " + probe.end +
                       " while it was unloaded; let nothing of the library run when its destructors have");
  }
  if (!probe.stays_mapped) return;
  const auto facts = inspect_library(inspection.plugin.file());
  std::string why;
  if (facts.has_value() && facts->unique_symbol_count > 0) {
    why =
        "it has " + std::to_string(facts->unique_symbol_count) + " GNU-unique symbols; compile it with -fno-gnu-unique";
  } else if (facts.has_value() && facts->never_unloads) {
    why = "it was linked with -z nodelete; link it without";
  } else {
    why =
        "something of it is registered for the end of a thread or of the process; leave no atexit handler and no "
        "thread_local object with a destructor behind";
  }
  report.warn(
      "it stays in memory after it has been unloaded, with each version once more where it runs in the host's "
      "process: " +
      why);
}

}  // namespace

std::span<const Check> unload_checks() {
  static constexpr std::array checks{
      Check{"symbols", "it exports its entry function and nothing else", check_symbols},
      Check{"after-stop", "nothing of it runs after its stop", check_after_stop},
      Check{"unload", "it can be unloaded", check_unload},
  };
  return checks;
}

}  // namespace mcph
