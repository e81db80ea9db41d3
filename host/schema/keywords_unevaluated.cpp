// Keywords about the children that all other keywords, however deep in subschemas of the same value, have left.
#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "schema/evaluation.hpp"
#include "schema/keywords.hpp"

namespace mcph::schema {
namespace {

class Unevaluated : public Keyword {
 public:
  Unevaluated(std::string_view keyword, NodeIndex node, bool forbidden)
      : keyword_(keyword), node_(node), forbidden_(forbidden) {}

 protected:
  using Children = std::vector<JsonValue>;

  bool check_one(JsonValue child, const InstancePath& at, const Children& looked_at, Evaluation& run) const {
    if (!run.spend(1, at)) return false;
    if (std::binary_search(looked_at.begin(), looked_at.end(), child)) return true;
    if (!forbidden_) return run.check_child(node_, child, at);
    return run.violation(at, keyword_, [] { return "is not allowed; no rule of the schema knows it"; });
  }

 private:
  std::string_view keyword_;  // of the table of rules
  NodeIndex node_;
  bool forbidden_;
};

class UnevaluatedItems final : public Unevaluated {
 public:
  using Unevaluated::Unevaluated;

  bool check(JsonValue value, const InstancePath& at, Evaluation& run) const override {
    if (!value.is_array()) return true;
    const auto looked_at = run.children_looked_at();
    std::size_t index = 0;
    for (const auto element : value.elements()) {
      if (!check_one(element, {&at, std::nullopt, index++}, looked_at, run)) return false;
    }
    return true;
  }
};

class UnevaluatedProperties final : public Unevaluated {
 public:
  using Unevaluated::Unevaluated;

  bool check(JsonValue value, const InstancePath& at, Evaluation& run) const override {
    if (!value.is_object()) return true;
    const auto looked_at = run.children_looked_at();
    for (const auto [name, member] : value.members()) {
      if (!check_one(member, {&at, name}, looked_at, run)) return false;
    }
    return true;
  }
};

template <class Kind>
Result<KeywordPtr> compile_unevaluated(const KeywordSite& site) {
  const auto node = site.compile();
  if (!node) return node.error();
  site.compiler.note_unevaluated(site.node);
  return std::make_unique<Kind>(site.keyword, *node, site.value == false);
}

constexpr std::array unevaluated_rules{
    KeywordRule{"unevaluatedItems", compile_unevaluated<UnevaluatedItems>, Vocabulary::unevaluated, in_2020_12},
    KeywordRule{"unevaluatedProperties", compile_unevaluated<UnevaluatedProperties>, Vocabulary::unevaluated,
                in_2020_12},
};

}  // namespace

std::span<const KeywordRule> unevaluated_keywords() {
  return unevaluated_rules;
}

}  // namespace mcph::schema
