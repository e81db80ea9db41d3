// Fills in the defaults of absent properties. Lives on the stack of one Schema::apply_defaults.
#pragma once

#include <cstddef>

#include <nlohmann/json_fwd.hpp>

#include "catalog/schema.hpp"
#include "catalog/schema_program.hpp"

namespace mcph::schema {

class DefaultFiller {
 public:
  explicit DefaultFiller(const Program& program) : program_(program) {}

  // Stops silently at the limits of Schema: an instance that reaches them is not valid, and validate says so.
  void fill(NodeIndex node, nlohmann::json& value) {
    if (depth_ == Schema::max_depth || steps_ == Schema::max_steps) return;
    ++depth_;
    ++steps_;
    for (const auto& keyword : program_.nodes[node].keywords) {
      keyword->fill_defaults(value, *this);
    }
    --depth_;
  }

  void fill_reference(std::size_t slot, nlohmann::json& value) { fill(program_.reference_targets[slot], value); }

  // Null if the subschema has no default.
  const nlohmann::json* default_of(NodeIndex node) const { return program_.nodes[node].default_value.get(); }

 private:
  const Program& program_;
  std::size_t depth_ = 0;
  std::size_t steps_ = 0;
};

}  // namespace mcph::schema
