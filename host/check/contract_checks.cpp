// What the host has noticed meanwhile.
#include <array>
#include <set>

#include "check/inspection.hpp"

namespace mcph {
namespace {

void check_contract(Inspection& inspection, CheckReport& report) {
  for (const auto& call : inspection.sound_calls()) {
    auto* const version = inspection.usable(report);
    if (version == nullptr) break;
    version->ask(call);
  }
  inspection.version = nullptr;  // all that it says has been heard then
  inspection.take_log();
  // One of a kind, whatever the number of the call is.
  std::set<std::string> told;
  for (const auto& each : inspection.misbehaviour) {
    std::string kind = each;
    std::erase_if(kind, [](char c) { return c >= '0' && c <= '9'; });
    if (told.insert(kind.substr(0, kind.find(" (while"))).second) report.fail(each);
  }
  for (const auto& [text, when] : inspection.carelessness)
    report.warn("it says: " + text + when);
}

}  // namespace

std::span<const Check> contract_checks() {
  static constexpr std::array checks{
      Check{"contract", "the host has nothing to complain of: each call is completed once, nothing is thrown",
            check_contract},
  };
  return checks;
}

}  // namespace mcph
