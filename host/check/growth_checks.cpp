// What calls leave behind in the plugin's process: threads, descriptors, memory.
#include <array>
#include <fstream>
#include <thread>

#include "base/sanitizer.hpp"
#include "check/inspection.hpp"

namespace mcph {
namespace {

constexpr std::size_t max_calls = 50;                   // of each component, from one look to the next
constexpr std::chrono::milliseconds max_time{150};      // likewise, to find how many calls there is time for
constexpr std::chrono::milliseconds repeat_time{1500};  // for as many calls once more
constexpr std::chrono::milliseconds settle_time{200};   // in which what a call has used may end
constexpr std::size_t kib = 1024;
constexpr std::size_t min_growth = 64 * kib;  // from one look to the next, that counts

struct Figures {
  std::size_t threads = 0;
  std::size_t descriptors = 0;
  std::size_t memory = 0;
};

Figures figures_of(int process) {
  Figures figures;
  const auto folder = std::filesystem::path("/proc") / std::to_string(process);
  std::ifstream status(folder / "status");
  for (std::string word; status >> word;) {
    if (word == "Threads:") status >> figures.threads;
    if (word == "RssAnon:" && status >> figures.memory) figures.memory *= kib;
  }
  std::error_code error;
  for (std::filesystem::directory_iterator entry(folder / "fd", error), end; !error && entry != end;
       entry.increment(error))
    ++figures.descriptors;
  return figures;
}

// When what the calls have used has ended, or would have.
Figures settled_figures(int process, const Figures& before) {
  const auto until = std::chrono::steady_clock::now() + settle_time;
  for (;;) {
    const auto now = figures_of(process);
    const bool is_more = now.threads > before.threads || now.descriptors > before.descriptors;
    if (!is_more || std::chrono::steady_clock::now() > until) return now;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

// How many calls of each there was time for, at least one.
std::size_t run_calls(PluginVersion& version, const std::vector<ExampleCall>& calls, std::size_t most,
                      std::chrono::milliseconds time) {
  const auto until = std::chrono::steady_clock::now() + time;
  std::size_t rounds = 0;
  while (rounds < most && (rounds == 0 || std::chrono::steady_clock::now() < until)) {
    for (const auto& call : calls) {
      version.ask(call);
      if (version.is_spoilt()) return rounds;
    }
    ++rounds;
  }
  return rounds;
}

// Looks several times, with as many calls between each two.
Growth measure(Inspection& inspection, unsigned looks, CheckReport& report) {
  Growth growth;
  const auto calls = inspection.sound_calls();
  inspection.version = nullptr;  // what others have left in it does not count
  auto* const version = inspection.usable(report);
  if (version == nullptr) return {.why_not = "it cannot be loaded"};
  if (calls.empty()) return {.why_not = "there is nothing to call"};
  growth.calls_each = run_calls(*version, calls, max_calls, max_time);
  const int process = version->plugin().status().pid;
  Figures last = figures_of(process);
  for (unsigned look = 0; look <= looks; ++look) {
    const auto run = run_calls(*version, calls, growth.calls_each, repeat_time);
    if (version->is_spoilt()) return {.why_not = "its process ended, or did not come back"};
    if (run < growth.calls_each) return {.why_not = "the same calls take much longer than before"};
    last = settled_figures(process, last);
    growth.threads.push_back(last.threads);
    growth.descriptors.push_back(last.descriptors);
    growth.memory.push_back(last.memory);
  }
  growth.calls_each *= calls.size();
  return growth;
}

bool grows_each_time(const std::vector<std::size_t>& counts, std::size_t least) {
  for (std::size_t i = 1; i < counts.size(); ++i) {
    if (counts[i] < counts[i - 1] + least) return false;
  }
  return counts.size() > 1;
}

bool is_suspicious(const Growth& growth) {
  return grows_each_time(growth.threads, 1) || grows_each_time(growth.descriptors, 1) ||
         grows_each_time(growth.memory, min_growth);
}

const Growth& growth_of(Inspection& inspection, CheckReport& report) {
  if (inspection.growth) return *inspection.growth;
  inspection.growth = measure(inspection, inspection.options.rounds, report);
  // What fills up once is no leak: it is looked at again, for longer.
  if (is_suspicious(*inspection.growth)) inspection.growth = measure(inspection, 2 * inspection.options.rounds, report);
  return *inspection.growth;
}

void tell_growth(Inspection& inspection, std::vector<std::size_t> Growth::*counts, std::size_t least,
                 const std::string& what, const std::string& cure, CheckReport& report) {
  const auto& growth = growth_of(inspection, report);
  if (!growth.why_not.empty()) return report.skip(growth.why_not);
  const auto& seen = growth.*counts;
  if (!grows_each_time(seen, least)) return;
  report.fail("its process had " + std::to_string(seen.front()) + " " + what + ", and " + std::to_string(seen.back()) +
              " after " + std::to_string(growth.calls_each * (seen.size() - 1)) + " calls, more each time; " + cure);
}

void check_threads(Inspection& inspection, CheckReport& report) {
  tell_growth(inspection, &Growth::threads, 1, "threads", "join each thread when its work is done", report);
}

void check_descriptors(Inspection& inspection, CheckReport& report) {
  tell_growth(inspection, &Growth::descriptors, 1, "descriptors", "close what each call opens", report);
}

void check_memory(Inspection& inspection, CheckReport& report) {
  const auto* const preloaded = std::getenv("LD_PRELOAD");  // NOLINT(concurrency-mt-unsafe): nobody sets it
  const bool is_preloaded = preloaded != nullptr && std::string_view(preloaded).find("asan") != std::string_view::npos;
  if (is_address_sanitized || is_preloaded)
    return report.skip(
        "AddressSanitizer keeps what is freed, so that growth says nothing; check a build without it, too");
  tell_growth(inspection, &Growth::memory, min_growth, "bytes of memory",
              "free what each call needs, and bound what is kept on purpose", report);
}

}  // namespace

std::span<const Check> growth_checks() {
  static constexpr std::array checks{
      Check{"threads", "calls leave no threads behind", check_threads},
      Check{"descriptors", "calls leave no files and sockets open", check_descriptors},
      Check{"memory", "calls leave no memory behind", check_memory},
  };
  return checks;
}

}  // namespace mcph
