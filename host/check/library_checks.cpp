// The library and its first load.
#include <array>

#include "base/in_seconds.hpp"
#include "check/inspection.hpp"

namespace mcph {
namespace {

// After which who waits for a changed plugin notices.
constexpr std::chrono::milliseconds quick{1000};

std::string slow_words(const char* what, std::chrono::milliseconds time) {
  return std::string(what) + " took " + in_seconds(time) +
         "; clients wait so long, and after 10 s the host refuses it: do what takes long on a thread";
}

void check_load(Inspection& inspection, CheckReport& report) {
  if (const auto unloading = inspection.plugin.require_unloading(0); unloading.has_error())
    return report.fail("it is refused: " + unloading.error().message);
  auto looked = inspection.plugin.look();
  if (looked.has_error()) return report.fail("it is refused: " + looked.error().message);
  if (looked->time > quick) report.warn(slow_words("loading and describing it", looked->time));
  const auto began = std::chrono::steady_clock::now();
  const auto started = looked->plugin.served.plugin->start();
  const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - began);
  if (started.has_error()) return report.fail("it does not start: " + started.error().message);
  if (took > quick) report.warn(slow_words("its start", took));
  inspection.components = looked->plugin.served.components;
  inspection.version = std::make_unique<PluginVersion>(std::move(looked->plugin), inspection.options.timeout);
  auto [calls, left_out] = example_calls(*inspection.version, inspection.options.only_read_only);
  inspection.calls = std::move(calls);
  inspection.left_out = std::move(left_out);
}

}  // namespace

std::span<const Check> library_checks() {
  static constexpr std::array checks{
      Check{"load", "it can be loaded, described and started, within a second", check_load},
  };
  return checks;
}

}  // namespace mcph
