// Why roles permit a use or do not: the same rules in the same order as the rights, with the one that decides.
#include "auth/policy.hpp"
#include "base/json_document.hpp"
#include "base/uri.hpp"
#include "catalog/components.hpp"

namespace mcph {
namespace {

bool is_about(const Rule& rule, const Use& use) {
  std::string storage;
  const auto name = use.kind == Rule::Kind::resource ? normalized_uri(use.name, storage) : use.name;
  return rule.matches(use.kind, name) && (use.tool == nullptr || rule.covers(*use.tool));
}

// Empty: the rule is about these arguments, as a denial is of which that is not known.
std::string mismatch_of(const Rule& rule, const nlohmann::json& arguments, bool is_denial) {
  if (rule.arguments() == nullptr) return {};
  const auto document = JsonDocument::of(arguments);
  if (const auto name = rule.misspelt_argument(document.root()))
    return is_denial ? std::string() : "\"" + *name + "\" differs by its case from what the rule names";
  const auto violation = rule.arguments()->validate(arguments);
  return !violation || (is_denial && violation->is_undecided) ? std::string() : violation->message;
}

}  // namespace

Decision RolePolicy::decide(const std::set<std::string>& roles, const Use& use) const {
  Decision nearest;
  const auto look_through = [&](bool denials) {
    for (const auto& name : roles) {
      const auto role = roles_->find(name);
      if (role == roles_->end()) continue;
      const auto& rules = denials ? role->second.deny : role->second.allow;
      for (std::size_t i = 0; i < rules.size(); ++i) {
        if (!is_about(rules[i], use)) continue;
        Decision decision{!denials, name, denials, i, rules[i].text(), mismatch_of(rules[i], use.arguments, denials)};
        if (decision.mismatch.empty()) {
          nearest = std::move(decision);
          return true;
        }
        decision.permitted = false;
        // Only what would allow it helps whoever asks.
        if (!denials && nearest.role.empty()) nearest = std::move(decision);
      }
    }
    return false;
  };
  if (!look_through(true)) look_through(false);
  const bool hidden = use.kind == Rule::Kind::resource && !rights_of(roles)->may_read(use.name);
  if (hidden && nearest.permitted) return {};
  return nearest;
}

}  // namespace mcph
