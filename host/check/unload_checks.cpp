// What its library leaves in a process: symbols, threads after its end, and itself.
#include <array>
#include <utility>

#include <mcp/plugin.h>

#include "check/inspection.hpp"
#include "protocol/calls/component_calls.hpp"

namespace mcph {
namespace {

void check_symbols(Inspection& inspection, CheckReport& report) {
  const auto facts = inspection.plugin.library_facts();
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

// What it is held by, which a process that it shares has not; empty: nothing.
std::string_view bounds_in(const PluginConfiguration& configuration) {
  if (configuration.sandbox.profile != SandboxProfile::none) return "a sandbox";
  const auto& limits = configuration.limits;
  const bool any = limits.memory_bytes != 0 || limits.open_files != 0 || limits.cpu_percent != 0;
  return any || limits.starts_nothing ? "limits of memory, files, processor time or processes" : "";
}

// As the host gives them.
std::vector<ProbeTask::Call> calls_for_probe(Inspection& inspection, CheckReport& report) {
  std::vector<ProbeTask::Call> calls;
  auto* const version = inspection.usable(report);
  if (version == nullptr) return calls;
  for (const auto& call : inspection.sound_calls()) {
    const auto planned = plan_call(call.method, version->catalog(), call.params);
    if (planned.has_value()) calls.push_back({call.method, planned->params});
  }
  return calls;
}

// Null: it is not to be used in a process that it shares, or cannot be, and why has been reported.
const ProbeReport* probed(Inspection& inspection, CheckReport& report) {
  const auto skip = [&](const std::string& why) {
    report.skip(why);
    return nullptr;
  };
  if (inspection.stops_badly) return skip("it does not stop well");
  if (!inspection.probed) {
    auto configuration = inspection.plugin.configuration();
    if (configuration.has_error()) return skip(configuration.error().message);
    if (const auto bounds = bounds_in(*configuration); !bounds.empty()) {
      return skip("its configuration has " + std::string(bounds) +
                  ", and the process in which this is looked at has none");
    }
    inspection.probed = inspection.probe.run(
        {.file = inspection.plugin.file(),
         .configuration = std::move(configuration->own),
         .data = inspection.options.data,
         .store_limits = {.keys = configuration->limits.store_keys, .bytes = configuration->limits.store_bytes},
         .server_info = inspection.plugin.server_info(),
         .calls = calls_for_probe(inspection, report),
         .timeout = inspection.options.timeout});
  }
  const auto& probe = *inspection.probed;
  if (!probe.refused.empty()) return skip("it cannot be used in a process that it shares: " + probe.refused);
  return &probe;
}

// Whether it came to the end of stop.
bool is_stopped(const ProbeReport& probe) {
  return probe.step == "unload" || probe.step == "done";
}

void check_after_stop(Inspection& inspection, CheckReport& report) {
  const auto* const found = probed(inspection, report);
  if (found == nullptr) return;
  const auto& probe = *found;
  if (!is_stopped(probe)) {
    return report.fail("in a process that it shares, it did not come back from its " + probe.step + ": its process " +
                       (probe.end.empty() ? "ended" : probe.end) +
                       "; as \"isolation\": \"in-process\" it would take the host with it");
  }
  for (const auto& said : probe.said)
    report.fail("it called the host after stop (" + said + "); the host is gone by then");
  if (probe.never_unloads)
    return report.note("its threads and descriptors may stay, because it says MCP_PLUGIN_NEVER_UNLOAD");
  if (probe.threads_left > 0) {
    report.fail(std::to_string(probe.threads_left) +
                " of its threads run after stop has returned; join each of them in stop");
  }
  if (probe.descriptors_left > 0) {
    report.fail("it leaves " + std::to_string(probe.descriptors_left) +
                " descriptors open after stop; close what start and calls have opened");
  }
}

void check_unload(Inspection& inspection, CheckReport& report) {
  const auto* const found = probed(inspection, report);
  if (found == nullptr) return;
  const auto& probe = *found;
  if (!is_stopped(probe)) return report.skip("it did not stop");
  if (probe.never_unloads) {
    const auto unloading = inspection.plugin.require_unloading(MCP_PLUGIN_NEVER_UNLOAD);
    if (unloading.has_error()) return report.fail("it is refused: " + unloading.error().message);
    return report.skip("it asks not to be, by MCP_PLUGIN_NEVER_UNLOAD");
  }
  if (probe.threads_left > 0) return report.skip("its threads run after its stop");
  if (!probe.end.empty()) {
    return report.fail("its process " + probe.end +
                       " while it was unloaded; let nothing of the library run when its destructors have");
  }
  if (!probe.stays_mapped) return;
  const auto facts = inspection.plugin.library_facts();
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
