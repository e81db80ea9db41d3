#include "mock/scenarios.hpp"

#include <algorithm>
#include <stdexcept>

namespace plugins::mock {
namespace {

std::string allowed_outcomes(Owner owner) {
  if (owner == Owner::tool) return "response, content and error";
  return owner == Owner::resource ? "response, blob and error" : "messages and error";
}

void require_outcome(const OutcomeSettings& outcome, Owner owner, const std::string& place) {
  const bool is_tool = owner == Owner::tool;
  const bool is_resource = owner == Owner::resource;
  const auto count = [](bool is_there) { return is_there ? 1 : 0; };
  const int there = count(outcome.response.has_value()) + count(outcome.content.has_value()) +
                    count(outcome.blob.has_value()) + count(outcome.messages.has_value()) +
                    count(outcome.error.has_value());
  const bool has_strange = (outcome.response && !is_tool && !is_resource) || (outcome.content && !is_tool) ||
                           (outcome.blob && !is_resource) || (outcome.messages && owner != Owner::prompt);
  if (there != 1 || has_strange) refuse(place, "must have one of " + allowed_outcomes(owner));
  if (outcome.delay_ms > 0 && !is_tool) refuse(place + ".delayMs", "is for tools only");
}

ConditionSettings condition_of(const ScenarioSettings& scenario, const std::string& place) {
  const int kinds = (scenario.condition ? 1 : 0) + (scenario.all ? 1 : 0) + (scenario.any ? 1 : 0);
  if (kinds != 1) refuse(place, "must have one of condition, all and any");
  if (scenario.condition) return *scenario.condition;
  ConditionSettings several;
  several.all = scenario.all;
  several.any = scenario.any;
  return several;
}

}  // namespace

Scenarios::Scenarios(const ScenarioList& settings, Owner owner, const std::string& place) {
  const auto add = [&](const OutcomeSettings& outcome, const std::string& where) {
    require_outcome(outcome, owner, where);
    outcomes_.emplace_back(where, outcome);
  };
  const auto scenarios = settings.scenarios.value_or(std::vector<ScenarioSettings>());
  for (std::size_t i = 0; i < scenarios.size(); ++i) {
    const auto where = place + ".scenarios[" + std::to_string(i) + ']';
    const auto& condition = conditions_.emplace_back(condition_of(scenarios[i], where),
                                                     where + (scenarios[i].condition ? ".condition" : ""));
    condition.add_names(names_);
    add(scenarios[i], where);
  }
  if (settings.fallback) add(*settings.fallback, place + ".default");
  if (outcomes_.empty()) refuse(place, "must have scenarios, a default or both");
  std::sort(names_.begin(), names_.end());
  names_.erase(std::unique(names_.begin(), names_.end()), names_.end());
}

const OutcomeSettings* Scenarios::outcome_for(const mcp::Json& fields) const {
  for (std::size_t i = 0; i < conditions_.size(); ++i) {
    if (conditions_[i].holds(fields)) return &outcomes_[i].second;
  }
  return outcomes_.size() > conditions_.size() ? &outcomes_.back().second : nullptr;
}

}  // namespace plugins::mock
