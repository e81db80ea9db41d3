// What a JSON Schema is compiled to: nodes, one for each subschema, that refer to one another by index, each with the
// keywords that it applies. Built by Compiler, owned by Schema, immutable from then on.
#pragma once

#include <cstddef>
#include <memory>
#include <unordered_map>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/json_document.hpp"

namespace mcph::schema {

class DefaultFiller;
class Evaluation;
struct InstancePath;

using NodeIndex = std::size_t;
inline constexpr NodeIndex root_node = 0;

// A schema with an identifier of its own, or a whole document: what "#" means in a reference.
using ResourceIndex = std::size_t;

// One keyword of one subschema, with its value.
class Keyword {
 public:
  Keyword() = default;
  virtual ~Keyword() = default;
  Keyword(const Keyword&) = delete;
  Keyword& operator=(const Keyword&) = delete;

  // True if the value at `at` satisfies the keyword; otherwise the reason goes to `run`. A keyword that is about
  // another type than the value's is satisfied.
  virtual bool check(JsonValue value, const InstancePath& at, Evaluation& run) const = 0;

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
  ResourceIndex resource = 0;
  bool has_unevaluated = false;  // one of the keywords asks which children the others have looked at
};

// The node with which each resource that has it answers a dynamic anchor.
using DynamicAnchor = std::unordered_map<ResourceIndex, NodeIndex>;

// Where a $ref or $dynamicRef leads.
struct ReferenceTarget {
  NodeIndex node = root_node;
  std::shared_ptr<const DynamicAnchor> dynamic;  // null unless several resources may answer
};

struct Program {
  std::vector<Node> nodes;                         // the first is the whole schema
  std::vector<ReferenceTarget> reference_targets;  // by slot: see Compiler::add_reference
  bool has_defaults = false;
  // A check has to know more than the node and the value: the resources that it came through, or the children that
  // have been looked at.
  bool needs_context = false;
};

}  // namespace mcph::schema
