// Scenarios: which outcome a call has: that of the first scenario whose condition holds, else the default. Immutable;
// any number of threads may ask.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <mcp/plugin.hpp>

#include "mock/condition.hpp"
#include "mock/settings.hpp"

namespace plugins::mock {

// What the scenarios belong to.
enum class Owner { tool, resource, prompt };

class Scenarios {
 public:
  // Throws std::invalid_argument for what cannot be meant; its words begin with `place`, where the owner stands in the
  // file.
  Scenarios(const ScenarioList& settings, Owner owner, const std::string& place);

  // Null if no scenario fits and there is no default. Throws mcp::ToolError if a pattern takes too long.
  const OutcomeSettings* outcome_for(const mcp::Json& fields) const;

  // The first names of the fields that conditions look at.
  const std::vector<std::string>& names() const { return names_; }
  // Every outcome that there is, with its place.
  const std::vector<std::pair<std::string, OutcomeSettings>>& outcomes() const { return outcomes_; }

 private:
  std::vector<Condition> conditions_;
  std::vector<std::pair<std::string, OutcomeSettings>> outcomes_;  // in their order, and the default if there is one
  std::vector<std::string> names_;
};

}  // namespace plugins::mock
