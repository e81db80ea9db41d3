// Fills in the defaults of absent properties. Lives on the stack of one Schema::apply_defaults.
#pragma once

#include <cstddef>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "schema/program.hpp"
#include "schema/schema.hpp"

namespace mcph::schema {

class DefaultFiller {
 public:
  explicit DefaultFiller(const Program& program) : program_(program) {}

  // Stops silently at the limits of a check: an instance that reaches them is not valid, and validate says so.
  void fill(NodeIndex node, nlohmann::json& value) {
    if (is_full() || depth_ == Schema::max_depth || steps_ == Schema::max_steps) return;
    ++depth_;
    ++steps_;
    for (const auto& keyword : program_.nodes[node].keywords) {
      keyword->fill_defaults(value, *this);
    }
    --depth_;
  }

  // Which schema a dynamic one leads to is known only in a check.
  void fill_reference(std::size_t slot, nlohmann::json& value) {
    const auto& target = program_.reference_targets[slot];
    if (target.dynamic == nullptr) fill(target.node, value);
  }

  // The value to add as the absent property `name`; null if the subschema has no default, or if it is too much.
  const nlohmann::json* take_default(NodeIndex node, std::string_view name) {
    constexpr std::size_t punctuation = 4;  // two quotes, a colon and a comma
    const auto& added = program_.nodes[node].default_value;
    if (added.value == nullptr || is_full()) return nullptr;
    size_ += name.size() + punctuation + added.size;
    return is_full() ? nullptr : added.value.get();
  }

  // Something was left out, because there is too much to add.
  bool is_full() const { return size_ > Schema::max_defaults_size; }

 private:
  const Program& program_;
  std::size_t depth_ = 0;
  std::size_t steps_ = 0;
  std::size_t size_ = 0;  // of what was added, as JSON text
};

}  // namespace mcph::schema
