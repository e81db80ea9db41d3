// Why roles permit a use or do not: the same rules in the same order as the rights, with the one that decides.
#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "auth/plain_uri.hpp"
#include "auth/policy.hpp"
#include "base/json_document.hpp"
#include "base/uri.hpp"
#include "catalog/components.hpp"

namespace mcph {
namespace {

// A rule that is about a use, and what is decided if it is the one that decides.
struct RuleOfUse {
  const Rule* rule;
  Decision decision;
};
using RulesOfUse = std::vector<RuleOfUse>;

bool is_about(const Rule& rule, const Use& use, bool denies) {
  if (use.kind != Rule::Kind::resource)
    return rule.matches(use.kind, use.name) && (use.tool == nullptr || rule.covers(*use.tool));
  std::string storage;
  const auto name = normalized_uri(use.name, storage);
  if (!denies) return rule.matches(use.kind, name);
  std::string without_host;
  const auto readings = readings_of(name, without_host);
  return std::ranges::any_of(readings, [&](auto uri) { return rule.matches(use.kind, uri); });
}

void add_rules(RulesOfUse& rules, const std::vector<Rule>& all, const Use& use, const std::string& role, bool deny) {
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (is_about(all[i], use, deny)) rules.push_back({&all[i], {!deny, role, deny, i, all[i].text()}});
  }
}

Decision not_permitted(Decision decision, std::string mismatch) {
  decision.permitted = false;
  decision.mismatch = std::move(mismatch);
  return decision;
}

// Of rules of which those that deny have all something to say about arguments.
Decision decide_by_arguments(const RulesOfUse& deny, const RulesOfUse& allow, JsonValue arguments) {
  const std::string these = "these arguments: ";
  for (const auto* const rules : {&deny, &allow}) {
    for (const auto& [rule, decision] : *rules) {
      if (const auto name = rule->misspelt_argument(arguments))
        return not_permitted(decision, these + "\"" + *name + "\" differs by its case from what the rule names");
    }
  }
  for (const auto& [rule, decision] : deny) {
    const auto violation = rule->arguments()->validate(arguments);
    if (!violation || violation->is_undecided) return decision;
  }
  Decision nearest;
  for (const auto& [rule, decision] : allow) {
    const auto violation = rule->arguments() == nullptr ? std::nullopt : rule->arguments()->validate(arguments);
    if (!violation) return decision;
    if (nearest.role.empty()) nearest = not_permitted(decision, these + violation->message);
  }
  return nearest;
}

}  // namespace

Decision RolePolicy::decide(const std::set<std::string>& roles, const Use& use) const {
  RulesOfUse deny;
  RulesOfUse allow;
  for (const auto& name : roles) {
    const auto role = roles_->find(name);
    if (role == roles_->end()) continue;
    add_rules(deny, role->second.deny, use, name, true);
    add_rules(allow, role->second.allow, use, name, false);
  }
  const auto is_always = [](const RuleOfUse& each) { return each.rule->arguments() == nullptr; };
  if (const auto always = std::ranges::find_if(deny, is_always); always != deny.end()) return always->decision;
  const auto always = std::ranges::find_if(allow, is_always);
  if (!deny.empty() || always == allow.end()) {
    const auto document = JsonDocument::of(use.arguments);
    return decide_by_arguments(deny, allow, document.root());
  }
  if (use.kind == Rule::Kind::resource && !rights_of(roles)->may_read(use.name))
    return not_permitted(always->decision, "a URI that may be taken for another one");
  return always->decision;
}

}  // namespace mcph
