// Keywords that combine several subschemas for the same value.
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/json.hpp"
#include "schema/defaults.hpp"
#include "schema/evaluation.hpp"
#include "schema/keywords.hpp"

namespace mcph::schema {
namespace {

// Why none of several forms fits, no longer than what somebody would read.
std::string fits_none(const std::vector<NodeIndex>& nodes, JsonValue value, const InstancePath& at, Evaluation& run) {
  constexpr std::size_t enough = 600;
  std::string text = "fits none of the allowed forms:";
  for (std::size_t index = 0; index < nodes.size(); ++index) {
    if (text.size() > enough) return text + " and " + std::to_string(nodes.size() - index) + " more";
    text +=
        (index == 0 ? " (" : "; (") + std::to_string(index + 1) + ") " + run.reason_against(nodes[index], value, at);
  }
  return text;
}

class AllOf final : public Keyword {
 public:
  explicit AllOf(std::vector<NodeIndex> nodes) : nodes_(std::move(nodes)) {}

  bool check(JsonValue value, const InstancePath& at, Evaluation& run) const override {
    for (const auto node : nodes_) {
      if (!run.check(node, value, at)) return false;
    }
    return true;
  }

  void fill_defaults(Json& value, DefaultFiller& filler) const override {
    for (const auto node : nodes_) {
      filler.fill(node, value);
    }
  }

 private:
  std::vector<NodeIndex> nodes_;
};

class AnyOf final : public Keyword {
 public:
  explicit AnyOf(std::vector<NodeIndex> nodes) : nodes_(std::move(nodes)) {}

  bool check(JsonValue value, const InstancePath& at, Evaluation& run) const override {
    bool fits_any = false;
    for (const auto node : nodes_) {
      if (!run.check_alternative(node, value, at)) continue;
      fits_any = true;
      if (!run.notes_children()) break;
    }
    return fits_any || run.violation(at, "anyOf", [&] { return fits_none(nodes_, value, at, run); });
  }

 private:
  std::vector<NodeIndex> nodes_;
};

class OneOf final : public Keyword {
 public:
  explicit OneOf(std::vector<NodeIndex> nodes) : nodes_(std::move(nodes)) {}

  bool check(JsonValue value, const InstancePath& at, Evaluation& run) const override {
    std::optional<std::size_t> first;
    for (std::size_t index = 0; index < nodes_.size(); ++index) {
      if (!run.check_alternative(nodes_[index], value, at)) continue;
      if (first) {
        return run.violation(at, "oneOf", [&] {
          return "must fit exactly one of the allowed forms, but fits number " + std::to_string(*first + 1) + " and " +
                 std::to_string(index + 1);
        });
      }
      first = index;
    }
    return first || run.violation(at, "oneOf", [&] { return fits_none(nodes_, value, at, run); });
  }

 private:
  std::vector<NodeIndex> nodes_;
};

template <class Combination>
Result<KeywordPtr> compile_combination(const KeywordSite& site) {
  auto nodes = site.compile_elements();
  if (!nodes) return nodes.error();
  return std::make_unique<Combination>(*std::move(nodes));
}

class Not final : public Keyword {
 public:
  explicit Not(NodeIndex node) : node_(node) {}

  bool check(JsonValue value, const InstancePath& at, Evaluation& run) const override {
    if (!run.check_alternative(node_, value, at)) return true;
    return run.violation(at, "not", [] { return "has a form that the schema's \"not\" rules out"; });
  }

 private:
  NodeIndex node_;
};

Result<KeywordPtr> compile_not(const KeywordSite& site) {
  const auto node = site.compile();
  if (!node) return node.error();
  return std::make_unique<Not>(*node);
}

// if, with the then and else beside it.
class Condition final : public Keyword {
 public:
  Condition(NodeIndex condition, std::optional<NodeIndex> consequence, std::optional<NodeIndex> alternative)
      : condition_(condition), consequence_(consequence), alternative_(alternative) {}

  bool check(JsonValue value, const InstancePath& at, Evaluation& run) const override {
    const bool fits = run.check_alternative(condition_, value, at);
    const auto branch = fits ? consequence_ : alternative_;
    return !branch || run.check(*branch, value, at);
  }

 private:
  NodeIndex condition_;
  std::optional<NodeIndex> consequence_;
  std::optional<NodeIndex> alternative_;
};

Result<std::optional<NodeIndex>> compile_branch(const KeywordSite& condition, std::string_view keyword) {
  const auto* schema = condition.sibling(keyword);
  if (schema == nullptr) return std::optional<NodeIndex>();
  const auto node = KeywordSite{condition.compiler, condition.subschema, condition.node, keyword, *schema}.compile();
  if (!node) return node.error();
  return std::optional(*node);
}

Result<KeywordPtr> compile_condition(const KeywordSite& site) {
  const auto condition = site.compile();
  if (!condition) return condition.error();
  const auto consequence = compile_branch(site, "then");
  if (!consequence) return consequence.error();
  const auto alternative = compile_branch(site, "else");
  if (!alternative) return alternative.error();
  return std::make_unique<Condition>(*condition, *consequence, *alternative);
}

// then and else without an if.
Result<KeywordPtr> compile_unused_branch(const KeywordSite& site) {
  return site.sibling("if") != nullptr ? KeywordPtr() : compile_unused(site);
}

constexpr std::array combination_rules{
    KeywordRule{"allOf", compile_combination<AllOf>, Vocabulary::applicator},
    KeywordRule{"anyOf", compile_combination<AnyOf>, Vocabulary::applicator},
    KeywordRule{"oneOf", compile_combination<OneOf>, Vocabulary::applicator},
    KeywordRule{"not", compile_not, Vocabulary::applicator},
    KeywordRule{"if", compile_condition, Vocabulary::applicator},
    KeywordRule{"then", compile_unused_branch, Vocabulary::applicator},
    KeywordRule{"else", compile_unused_branch, Vocabulary::applicator},
};

}  // namespace

std::span<const KeywordRule> combination_keywords() {
  return combination_rules;
}

}  // namespace mcph::schema
