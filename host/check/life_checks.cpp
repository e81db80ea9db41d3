// Calls that are cancelled, many at once, and the end: with and without calls, again and again, and beside another one.
#include <algorithm>
#include <array>
#include <random>

#include "base/in_seconds.hpp"
#include "base/json.hpp"
#include "base/json_text.hpp"
#include "check/inspection.hpp"
#include "telemetry/log_events.hpp"

namespace mcph {
namespace {

// For which a host waits for the end of a call that has been cancelled for taking too long.
constexpr std::chrono::milliseconds cancel_patience{2000};
constexpr std::chrono::milliseconds begin_patience{20};
constexpr std::size_t calls_at_once = 16;

std::shared_ptr<AskedCall> begin_planned(PluginVersion& version, const ExampleCall& call) {
  const auto planned = plan_call(call.method, version.catalog(), call.params);
  return planned.has_error() ? nullptr : version.begin(call.method, planned->params, call.component);
}

void check_cancel(Inspection& inspection, CheckReport& report) {
  const auto patience = std::min(cancel_patience, inspection.options.timeout);
  for (const auto& call : inspection.sound_calls()) {
    auto* const version = inspection.usable(report);
    if (version == nullptr) return;
    const auto asked = begin_planned(*version, call);
    if (asked == nullptr) continue;
    asked->wait_for_progress(begin_patience);
    asked->cancel(CancelReason::client);
    const auto end = asked->wait(patience);
    if (end && !end->in_stead) continue;
    inspection.judge(call,
                     end ? version->end(*asked, std::nullopt)
                         : version->give_up("it was not completed within " + in_seconds(patience) +
                                            " of its cancellation; look for is_cancelled now and then, or heed cancel"),
                     dump(call.params) + " and cancelled", report);
  }
}

void check_parallel(Inspection& inspection, CheckReport& report) {
  const auto calls = inspection.sound_calls();
  if (calls.empty()) return report.skip("there is nothing to call");
  std::mt19937_64 random(inspection.options.seed);
  for (unsigned round = 0; round < inspection.options.rounds; ++round) {
    auto* const version = inspection.usable(report);
    if (version == nullptr) return;
    std::vector<std::pair<const ExampleCall*, std::shared_ptr<AskedCall>>> begun;
    for (std::size_t i = 0; i < std::max(calls_at_once, calls.size()); ++i) {
      const auto& call = calls[i < calls.size() ? i : random() % calls.size()];
      if (auto asked = begin_planned(*version, call)) begun.emplace_back(&call, std::move(asked));
    }
    for (const auto& [call, asked_call] : begun) {
      const auto asked = version->end(*asked_call, call->output_schema);
      if (!asked.progress_mistake.empty()) inspection.progress_mistakes[call->words] = asked.progress_mistake;
      if (asked.mistake.empty()) continue;
      // The first one tells what the others wait for.
      inspection.judge(*call, asked, "others at once (" + std::to_string(begun.size()) + " in all)", report);
      return;
    }
  }
}

void check_progress(Inspection& inspection, CheckReport& report) {
  // Where no other check is wanted that calls.
  for (const auto& call : inspection.has_asked ? std::vector<ExampleCall>() : inspection.sound_calls()) {
    auto* const version = inspection.usable(report);
    if (version == nullptr) return;
    const auto asked = version->ask(call);
    if (!asked.progress_mistake.empty()) inspection.progress_mistakes[call.words] = asked.progress_mistake;
  }
  for (const auto& [words, mistake] : inspection.progress_mistakes)
    report.fail(words + ": its progress " + mistake + "; it must grow from one to the next, up to its total");
}

// Ends it, and reports how, if that is not as it should be and has not been told.
void stop(Inspection& inspection, PluginVersion& version, const std::string& when, CheckReport& report) {
  if (inspection.stops_badly) return version.spoil();
  inspection.take_log();
  inspection.stopped_at.clear();
  const auto time = version.stop();
  const auto what = inspection.take_log(plugin_stopped_badly, "what");
  inspection.stops_badly = !time || !what.empty();
  if (!time) {
    report.fail("it did not stop within " + in_seconds(inspection.options.timeout) + when +
                words_for_place(inspection.stopped_at) + "; let stop end its threads and wait for nothing else");
  } else if (!what.empty()) {
    report.fail("it did not stop well" + when + ": " + what + words_for_place(inspection.stopped_at));
  }
}

void check_stop(Inspection& inspection, CheckReport& report) {
  inspection.version = nullptr;
  for (unsigned round = 0; round < inspection.options.rounds; ++round) {
    auto loaded = inspection.plugin.load();
    if (loaded.has_error()) {
      return report.fail("it cannot be loaded once more, after " + std::to_string(round) +
                         " times: " + loaded.error().message);
    }
    auto& version = **loaded;
    // Once without a call, because that is another way through it.
    if (round > 0) {
      for (const auto& call : inspection.sound_calls()) {
        inspection.judge(call, version.ask(call), dump(call.params) + " after a restart", report);
        if (version.is_spoilt()) return;
      }
    }
    stop(inspection, version, round == 0 ? " before any call" : " after calls", report);
    if (inspection.stops_badly) return;
  }
}

void check_stop_with_calls(Inspection& inspection, CheckReport& report) {
  const auto calls = inspection.sound_calls();
  if (calls.empty()) return report.skip("there is nothing to call");
  if (inspection.usable(report) == nullptr) return;
  const auto version = std::move(inspection.version);
  std::vector<std::pair<const ExampleCall*, std::shared_ptr<AskedCall>>> begun;
  for (const auto& call : calls) {
    if (auto asked = begin_planned(*version, call)) begun.emplace_back(&call, std::move(asked));
  }
  version->plugin().cancel_all(CancelReason::shutdown);
  std::vector<const ExampleCall*> late;
  for (const auto& [call, asked] : begun) {
    if (!asked->wait(std::min(cancel_patience, inspection.options.timeout))) late.push_back(call);
  }
  // What is given up for one of them ends the others, too.
  for (const auto* const call : late) {
    inspection.judge(*call, version->give_up("it was not completed when the host ended; heed MCP_CANCEL_SHUTDOWN"),
                     dump(call->params), report);
  }
  if (!version->is_spoilt()) stop(inspection, *version, " after calls that were cancelled", report);
}

// A new version is started before the old one ends, and both share what is outside of them.
void check_replace(Inspection& inspection, CheckReport& report) {
  const auto calls = inspection.sound_calls();
  if (inspection.usable(report) == nullptr) return;
  const auto old = std::move(inspection.version);
  std::vector<std::shared_ptr<AskedCall>> begun;
  begun.reserve(calls.size());
  for (const auto& call : calls)
    begun.push_back(begin_planned(*old, call));
  auto loaded = inspection.plugin.load();
  if (loaded.has_error()) {
    return report.fail("it cannot be loaded while another version of it runs, as in a reload: " +
                       loaded.error().message + "; share nothing that only one can have");
  }
  for (const auto& call : calls) {
    if ((*loaded)->is_spoilt()) break;
    inspection.judge(call, (*loaded)->ask(call), dump(call.params) + " beside an old version", report);
  }
  for (std::size_t i = 0; i < calls.size(); ++i) {
    // What has ended it is told once.
    if (begun[i] != nullptr && !old->is_spoilt())
      inspection.judge(calls[i], old->end(*begun[i], calls[i].output_schema), "beside a new version", report);
  }
  if (!old->is_spoilt()) stop(inspection, *old, " beside a new version", report);
  inspection.version = *std::move(loaded);
  for (const auto& call : inspection.sound_calls()) {
    auto* const current = inspection.usable(report);
    if (current == nullptr) return;
    inspection.judge(call, current->ask(call), dump(call.params) + " after the old version has ended", report);
  }
}

}  // namespace

std::span<const Check> life_checks() {
  static constexpr std::array checks{
      Check{"cancel", "a call that is cancelled is completed soon", check_cancel},
      Check{"parallel", "calls at once are all completed", check_parallel},
      Check{"progress", "progress grows", check_progress},
      Check{"stop", "it stops soon and well, and can be started again", check_stop},
      Check{"stop-with-calls", "it stops in the middle of calls", check_stop_with_calls},
      Check{"replace", "a new version can run beside the old one", check_replace},
  };
  return checks;
}

}  // namespace mcph
