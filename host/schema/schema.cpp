#include "schema/schema.hpp"

#include <utility>

#include "base/json.hpp"
#include "schema/compiler.hpp"
#include "schema/defaults.hpp"
#include "schema/evaluation.hpp"
#include "schema/program.hpp"

namespace mcph {

using schema::Evaluation;

Result<Schema> Schema::compile(const OrderedJson& schema, const SchemaOptions& options) {
  auto pattern_bytes = max_pattern_bytes;
  auto all = options;
  if (all.pattern_bytes == nullptr) all.pattern_bytes = &pattern_bytes;
  auto program = schema::Compiler(schema, all).compile();
  if (!program) return program.error();
  return Schema(std::make_shared<const schema::Program>(*std::move(program)));
}

std::optional<Violation> Schema::validate(const Json& instance) const {
  const auto document = JsonDocument::of(instance);
  return validate(document.root());
}

std::optional<Violation> Schema::validate(JsonValue instance) const {
  Evaluation decision(*program_, Evaluation::Mode::decide);
  const bool valid = decision.check_instance(instance);
  if (auto limit = decision.limit()) {
    limit->is_undecided = true;
    return limit;
  }
  if (valid) return std::nullopt;
  // Only now is it worth collecting what the message needs.
  Evaluation explanation(*program_, Evaluation::Mode::explain, decision.steps());
  explanation.check_instance(instance);
  return explanation.limit() ? explanation.limit() : explanation.take_violation();
}

bool Schema::has_defaults() const {
  return program_->has_defaults;
}

std::optional<Violation> Schema::apply_defaults(Json& instance) const {
  if (!program_->has_defaults) return std::nullopt;
  schema::DefaultFiller filler(*program_);
  filler.fill(schema::root_node, instance);
  if (!filler.is_full()) return std::nullopt;
  return Violation{"", "default",
                   "the value has so many absent properties that their defaults would take more than " +
                       std::to_string(max_defaults_size) + " bytes"};
}

}  // namespace mcph
