// What it says of itself.
#include <array>

#include "base/json.hpp"
#include "base/json_text.hpp"
#include "catalog/component_remarks.hpp"
#include "check/inspection.hpp"
#include "check/schema_lies.hpp"

namespace mcph {
namespace {

// Where two descriptions differ; empty: nowhere.
std::string difference_of(const std::string& first, const std::string& second) {
  if (first == second) return {};
  const auto one = parse_json(first);
  const auto other = parse_json(second);
  if (one.has_error() || other.has_error()) return "one of them is not valid JSON";
  const auto patch = Json::diff(*one, *other);
  return patch.empty() ? "the order of their members" : patch.front().value("path", "");
}

void check_describe(Inspection& inspection, CheckReport& report) {
  auto* const version = inspection.usable(report);
  if (version == nullptr) return;
  const auto first = version->plugin().describe();
  const auto second = version->plugin().describe();
  inspection.version = nullptr;
  auto* const another = inspection.usable(report);
  if (another == nullptr) return;
  const auto third = another->plugin().describe();
  for (const auto* const described : {&first, &second, &third}) {
    if (described->has_error()) return report.fail("it cannot be described: " + described->error().message);
  }
  const auto compare = [&](const std::string& other, const char* whose) {
    const auto difference = difference_of(*first, other);
    if (difference.empty()) return;
    report.fail(std::string("describe gave something else ") + whose + ", first at " + difference +
                "; call components_changed when it changes, and leave out what is new each time");
  };
  compare(*second, "when it was called again");
  compare(*third, "in another process");
}

void check_remarks(Inspection& inspection, CheckReport& report) {
  for (auto& remark : component_remarks(*inspection.components))
    report.warn(std::move(remark));
}

void check_schemas(Inspection& inspection, CheckReport& report) {
  if (inspection.components->tools.empty()) return report.skip("it has no tools");
  for (const auto& tool : inspection.components->tools) {
    const auto description = parse_ordered_json(tool.json);
    for (const auto* const which : {"inputSchema", "outputSchema"}) {
      if (!description->contains(which)) continue;
      for (const auto& lie : lies_in_schema(description->at(which)))
        report.fail("tool \"" + tool.name + "\": its " + which + ": " + lie);
    }
  }
}

}  // namespace

std::span<const Check> description_checks() {
  static constexpr std::array checks{
      Check{"describe", "describe says the same each time", check_describe},
      Check{"descriptions", "components and their arguments are described for who chooses them", check_remarks},
      Check{"schemas", "schemas say what can be meant: defaults and examples fit, what is required is described",
            check_schemas},
  };
  return checks;
}

}  // namespace mcph
