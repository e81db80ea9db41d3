// Condition: what a scenario asks of the arguments of a call. Immutable; any number of threads may ask.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <mcp/plugin.hpp>

#include "mock/pattern.hpp"
#include "mock/settings.hpp"

namespace plugins::mock {

class Condition {
 public:
  // Throws std::invalid_argument for what cannot be meant; its words begin with `place`, where this stands in the file.
  Condition(const ConditionSettings& settings, const std::string& place);

  // `fields` is an object. Throws mcp::ToolError if a pattern takes too long.
  bool holds(const mcp::Json& fields) const;

  // The first names of the fields that it looks at.
  void add_names(std::vector<std::string>& names) const;

 private:
  enum class Kind { comparison, all, any };

  void set_parts(const std::vector<ConditionSettings>& parts, const std::string& place);
  void set_comparison(const ConditionSettings& settings, const std::string& place);
  bool compares(const mcp::Json& found) const;

  Kind kind_ = Kind::comparison;
  std::vector<Condition> parts_;
  std::vector<std::string> path_;
  Operator operator_ = Operator::equals;
  mcp::Json value_;
  std::shared_ptr<const Pattern> pattern_;
};

}  // namespace plugins::mock
