// What a JSON Schema is compiled to: nodes, one for each subschema, that refer to one another by index, each with the
// keywords that it applies. Built by Compiler, owned by Schema, immutable from then on.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace mcph::schema {

class DefaultFiller;
class Evaluation;
struct InstancePath;

using NodeIndex = std::size_t;
inline constexpr NodeIndex root_node = 0;

// One keyword of one subschema, with its value.
class Keyword {
 public:
  Keyword() = default;
  virtual ~Keyword() = default;
  Keyword(const Keyword&) = delete;
  Keyword& operator=(const Keyword&) = delete;

  // True if the value at `at` satisfies the keyword; otherwise the reason goes to `run`. A keyword that is about
  // another type than the value's is satisfied.
  virtual bool check(const nlohmann::json& value, const InstancePath& at, Evaluation& run) const = 0;

  // Passes the filler on to subschemas that certainly apply to parts of the value.
  virtual void fill_defaults(nlohmann::json& /*value*/, DefaultFiller& /*filler*/) const {}
};

using KeywordPtr = std::unique_ptr<const Keyword>;

struct DefaultValue {
  std::shared_ptr<const nlohmann::json> value;  // null without `default`
  std::size_t size = 0;                         // of its JSON text, in bytes
};

struct Node {
  std::vector<KeywordPtr> keywords;
  DefaultValue default_value;
  // It has a keyword that is not checked, or applies a subschema that has one. That a value fits is then not certain;
  // that it does not fit always is.
  bool has_unchecked = false;
};

struct Program {
  std::vector<Node> nodes;                   // the first is the whole schema
  std::vector<NodeIndex> reference_targets;  // by slot: see Compiler::add_reference
  std::vector<std::string> unchecked_keywords;
  bool has_defaults = false;
};

}  // namespace mcph::schema
