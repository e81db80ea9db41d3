#include "auth/policy.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <tuple>
#include <utility>

#include "auth/plain_uri.hpp"
#include "base/json_text.hpp"
#include "base/uri.hpp"
#include "catalog/components.hpp"

namespace mcph {
namespace {

// Whoever writes rules may write the host of a page otherwise than is_plain_uri wants it.
std::string with_canonical_host(const std::string& match) {
  constexpr std::string_view kind = "resource:";
  return match.starts_with(kind) ? std::string(kind) + with_canonical_origin(match.substr(kind.size())) : match;
}

// "tool:* with read_only true, tag beta, arguments {...}"
std::string words_for(const RuleText& text) {
  auto words = text.match;
  auto add = [&, before = " with "](const std::string& condition) mutable {
    words += std::exchange(before, ", ") + condition;
  };
  if (text.read_only) add(*text.read_only ? "read_only true" : "read_only false");
  if (!text.tag.empty()) add("tag " + text.tag);
  if (text.arguments) add("arguments " + dump(*text.arguments));
  return words;
}

}  // namespace

Result<Rule> Rule::compile(const RuleText& text) {
  Rule rule;
  rule.text_ = words_for(text);
  rule.read_only_ = text.read_only;
  rule.tag_ = text.tag;
  auto pattern = ComponentPattern::read(with_canonical_host(text.match));
  if (pattern.has_error()) return pattern.error();
  rule.pattern_ = *std::move(pattern);
  const auto kind = rule.pattern_.kind();
  if (text.read_only && kind != Kind::tool) return fail("must be about tools, because it has read_only");
  if (!text.tag.empty() && kind != Kind::tool) return fail("must be about tools, because it has tag");
  if (!text.arguments) return rule;
  if (kind != Kind::tool && kind != Kind::prompt)
    return fail("must be about tools or prompts, because it has arguments");
  auto schema = Schema::compile(*text.arguments);
  if (schema.has_error()) return fail("has a schema for arguments that is none: " + schema.error().message);
  rule.arguments_ = *std::move(schema);
  rule.argument_names_ = ArgumentNames::of(*text.arguments);
  return rule;
}

bool Rule::covers(const Tool& tool) const {
  return (!read_only_ || *read_only_ == tool.read_only) && (tag_.empty() || tool.tags.contains(tag_));
}

// What the rules of some roles come to.
class RolePolicy::RoleRights final : public Rights {
 public:
  // `others` are roles that further scopes would give.
  RoleRights(std::shared_ptr<const Roles> all, const std::vector<const Role*>& roles, std::vector<const Role*> others)
      : all_(std::move(all)), others_(std::move(others)) {
    for (const auto* role : roles) {
      for (const auto& rule : role->allow)
        allow_.push_back(&rule);
      for (const auto& rule : role->deny)
        deny_.push_back(&rule);
    }
    reads_all_ = may_read_all({});
  }

  Access to(const Tool& tool, std::string_view /*plugin*/) const override {
    return of_call([&](const Rule& rule) { return rule.matches(Rule::Kind::tool, tool.name) && rule.covers(tool); });
  }
  Access to(const Prompt& prompt) const override {
    return of_call([&](const Rule& rule) { return rule.matches(Rule::Kind::prompt, prompt.name); });
  }
  Access to(const Resource& resource) const override { return {.visible = may_read(resource.uri)}; }
  Access to(const ResourceTemplate& resource_template) const override {
    const auto text = resource_template.uri_template.text();
    const auto beginning = normalized_uri(text.substr(0, text.find_first_of("{*")));
    const auto allowed = [&](const Rule* rule) { return rule->matches_some(beginning); };
    const auto denied = [&](const Rule* rule) { return rule->matches_all(beginning); };
    return {.visible = std::ranges::any_of(allow_, allowed) && std::ranges::none_of(deny_, denied),
            .partial = !may_read_all(beginning)};
  }

  bool may_read(std::string_view uri) const override {
    if (reads_all_) return true;
    std::string storage;
    const auto name = normalized_uri(uri, storage);
    std::string without_host;
    const auto readings = readings_of(name, without_host);
    const auto allows = [&](const Rule* rule) { return rule->matches(Rule::Kind::resource, name); };
    const auto denies = [&](const Rule* rule) {
      return std::ranges::any_of(readings, [&](auto reading) { return rule->matches(Rule::Kind::resource, reading); });
    };
    return is_plain_uri(name) && std::ranges::any_of(allow_, allows) && std::ranges::none_of(deny_, denies);
  }
  bool may_call(std::string_view tool) const override {
    const auto matches = [&](const Rule* rule) { return rule->matches(Rule::Kind::tool, tool); };
    const auto allows = [&](const Rule* rule) { return matches(rule) && rule->is_unconditional(); };
    return std::ranges::any_of(allow_, allows) && std::ranges::none_of(deny_, matches);
  }

 private:
  using Rules = std::vector<const Rule*>;

  // The rules of one component: those of the roles that its caller has, and those of each that a scope would give.
  struct Grant {
    Rules allow;
    Rules deny;
    std::string scope;
    // Of a role that would give it: the greater, the less it gives besides.
    std::tuple<std::size_t, std::size_t, std::ptrdiff_t> narrowness;
  };

  static bool allows(const Rule* rule, JsonValue arguments) {
    return rule->arguments() == nullptr || !rule->arguments()->validate(arguments);
  }
  // Also where that takes too long to find out, which whoever makes the arguments could see to.
  static bool denies(const Rule* rule, JsonValue arguments) {
    if (rule->arguments() == nullptr) return true;
    const auto violation = rule->arguments()->validate(arguments);
    return !violation || violation->is_undecided;
  }
  static bool permits(const Grant& grant, JsonValue arguments) {
    const auto allows_it = [&](const Rule* rule) { return allows(rule, arguments); };
    const auto denies_it = [&](const Rule* rule) { return denies(rule, arguments); };
    return std::ranges::any_of(grant.allow, allows_it) && std::ranges::none_of(grant.deny, denies_it);
  }

  class Conditions final : public CallRule {
   public:
    Conditions(Grant had, std::vector<Grant> others) : had_(std::move(had)), others_(std::move(others)) {}

    std::optional<CallRefusal> check(JsonValue arguments) const override {
      for (const auto* const rules : {&had_.deny, &had_.allow}) {
        for (const auto* rule : *rules) {
          if (const auto name = rule->misspelt_argument(arguments))
            return CallRefusal{"with the argument \"" + *name + "\", which a rule spells otherwise", {}, rule->text()};
        }
      }
      const auto denies_it = [&](const Rule* rule) { return denies(rule, arguments); };
      if (const auto denying = std::ranges::find_if(had_.deny, denies_it); denying != had_.deny.end())
        return CallRefusal{"with these arguments, which a rule denies", {}, (*denying)->text()};
      if (permits(had_, arguments)) return std::nullopt;
      const auto other = std::ranges::find_if(others_, [&](const Grant& grant) { return permits(grant, arguments); });
      if (other != others_.end()) return CallRefusal{"without the scope " + other->scope, {other->scope}};
      return CallRefusal{"with these arguments" + words_for(arguments)};
    }

   private:
    // Why the nearest rule that could allow the call does not. Empty: it does, and another one denies it.
    std::string words_for(JsonValue arguments) const {
      const auto& nearest = had_.allow.empty() ? others_.front().allow : had_.allow;
      const auto* const schema = nearest.front()->arguments();
      const auto violation = schema == nullptr ? std::nullopt : schema->validate(arguments);
      return violation ? ": " + violation->message : std::string();
    }

    const Grant had_;
    const std::vector<Grant> others_;
  };

  // Those of the rules that are about the component. Nothing: it is denied altogether.
  template <class Covers>
  static std::optional<Grant> grant_of(const Rules& allow, const Rules& deny, Covers covers) {
    Grant grant;
    for (const auto* rule : deny) {
      if (!covers(*rule)) continue;
      if (rule->arguments() == nullptr) return std::nullopt;
      grant.deny.push_back(rule);
    }
    for (const auto* rule : allow) {
      if (covers(*rule)) grant.allow.push_back(rule);
    }
    return grant;
  }

  template <class Covers>
  Access of_call(Covers covers) const {
    auto had = grant_of(allow_, deny_, covers);
    if (!had) return {};
    const auto is_always = [](const Rule* rule) { return rule->arguments() == nullptr; };
    if (had->deny.empty() && std::ranges::any_of(had->allow, is_always)) return {.visible = true};
    std::vector<Grant> others;
    for (const auto* role : others_) {
      auto other = grant_of(pointers(role->allow), pointers(role->deny), covers);
      if (!other || other->allow.empty()) continue;
      other->scope = scope_of(*role);
      other->narrowness = narrowness_of(*role, other->allow);
      others.push_back(*std::move(other));
    }
    // Nobody is to ask for more than it takes (basic/authorization, "Runtime Insufficient Scope Errors").
    std::ranges::stable_sort(others, std::greater<>(), &Grant::narrowness);
    if (had->allow.empty() && others.empty()) return {};
    return {.visible = true, .rule = std::make_shared<const Conditions>(*std::move(had), std::move(others))};
  }

  static std::tuple<std::size_t, std::size_t, std::ptrdiff_t> narrowness_of(const Role& role, const Rules& about) {
    const auto nearest = std::ranges::max_element(about, {}, &Rule::precision);
    const auto widest = std::ranges::min_element(role.allow, {}, &Rule::precision);
    return {widest->precision(), (*nearest)->precision(), -std::ssize(role.allow)};
  }
  // Of several that would give the role that which gives the fewest others, too.
  std::string scope_of(const Role& role) const {
    return *std::ranges::min_element(role.scopes, {}, [this](const std::string& scope) {
      return std::ranges::count_if(others_, [&](const Role* other) { return other->scopes.contains(scope); });
    });
  }

  static Rules pointers(const std::vector<Rule>& rules) {
    Rules all;
    for (const auto& rule : rules)
      all.push_back(&rule);
    return all;
  }

  // Resources whose normalized URIs begin so.
  bool may_read_all(std::string_view beginning) const {
    const auto allowed = [&](const Rule* rule) { return rule->matches_all(beginning); };
    const auto denied = [&](const Rule* rule) { return rule->matches_some(beginning); };
    return std::ranges::any_of(allow_, allowed) && std::ranges::none_of(deny_, denied);
  }

  const std::shared_ptr<const Roles> all_;  // of which the others are parts
  std::vector<const Rule*> allow_;
  std::vector<const Rule*> deny_;
  const std::vector<const Role*> others_;
  bool reads_all_ = false;
};

Result<RolePolicy::Role> RolePolicy::compile(const RoleText& text) {
  Role role{.allow = {},
            .deny = {},
            .groups = {text.groups.begin(), text.groups.end()},
            .scopes = {text.scopes.begin(), text.scopes.end()},
            .principals = {text.principals.begin(), text.principals.end()},
            .issuers = {text.issuers.begin(), text.issuers.end()},
            .withheld_from = {text.withheld_from.begin(), text.withheld_from.end()}};
  const auto compile_into = [](std::vector<Rule>& rules, const std::vector<RuleText>& texts) -> Result<> {
    for (const auto& each : texts) {
      auto rule = Rule::compile(each);
      if (rule.has_error()) return rule.error();
      rules.push_back(*std::move(rule));
    }
    return {};
  };
  if (const auto done = compile_into(role.allow, text.allow); done.has_error()) return done.error();
  if (const auto done = compile_into(role.deny, text.deny); done.has_error()) return done.error();
  return role;
}

Result<std::shared_ptr<const RolePolicy>> RolePolicy::compile(const RoleTexts& roles) {
  Roles compiled;
  for (const auto& [name, text] : roles) {
    auto role = compile(text);
    if (role.has_error()) return fail("a rule of the role " + name + " " + role.error().message);
    compiled.emplace(name, *std::move(role));
  }
  return std::shared_ptr<const RolePolicy>(new RolePolicy(std::move(compiled)));
}

std::set<std::string> RolePolicy::roles_of(const Principal& principal) const {
  std::set<std::string> names;
  if (principal.is_anonymous()) {
    if (has_role(anonymous_role)) names.emplace(anonymous_role);
    return names;
  }
  const auto& identity = principal.identity();
  for (const auto& name : identity.claimed_roles) {
    if (has_role(name)) names.insert(name);
  }
  const auto one_of = [](const std::set<std::string>& wanted, const std::vector<std::string>& had) {
    return std::ranges::any_of(had, [&](const std::string& each) { return wanted.contains(each); });
  };
  for (const auto& [name, role] : *roles_) {
    if (role.principals.contains(principal.id()) || role.issuers.contains(identity.issuer) ||
        one_of(role.groups, identity.groups) || one_of(role.scopes, identity.scopes)) {
      names.insert(name);
    }
    if (role.withheld_from.contains(identity.issuer)) names.erase(name);
  }
  return names;
}

std::shared_ptr<const Rights> RolePolicy::rights_of(const std::set<std::string>& roles, bool can_get_scopes,
                                                    const std::string& issuer) const {
  std::set<std::string> of_scopes;
  for (const auto& [name, role] : *roles_) {
    if (can_get_scopes && !role.scopes.empty() && !roles.contains(name) && !role.withheld_from.contains(issuer))
      of_scopes.insert(name);
  }
  const MutexLock lock(mutex_);
  const auto key = std::make_pair(roles, std::move(of_scopes));
  if (const auto found = rights_.find(key); found != rights_.end()) return found->second;
  std::vector<const Role*> had;
  std::vector<const Role*> others;
  for (const auto& [name, role] : *roles_) {
    if (roles.contains(name)) {
      had.push_back(&role);
    } else if (key.second.contains(name)) {
      others.push_back(&role);
    }
  }
  // Scopes come in any combination.
  if (rights_.size() == max_rights) rights_.clear();
  return rights_.emplace(key, std::make_shared<const RoleRights>(roles_, had, std::move(others))).first->second;
}

namespace {

class PolicyWithin final : public Policy {
 public:
  PolicyWithin(std::shared_ptr<const Rights> components, std::shared_ptr<const Policy> policy)
      : components_(std::move(components)), policy_(std::move(policy)) {}

  std::shared_ptr<const Rights> rights_of(const Principal& principal) const override {
    const auto rights = policy_ == nullptr ? nullptr : policy_->rights_of(principal);
    if (rights == nullptr) return components_;
    const MutexLock lock(mutex_);
    if (const auto found = within_.find(rights); found != within_.end()) return found->second;
    if (within_.size() == max_rights) within_.clear();
    return within_.emplace(rights, common_rights(rights, components_)).first->second;
  }

 private:
  static constexpr std::size_t max_rights = 1024;

  const std::shared_ptr<const Rights> components_;
  const std::shared_ptr<const Policy> policy_;
  mutable Mutex mutex_;
  mutable std::map<std::shared_ptr<const Rights>, std::shared_ptr<const Rights>> within_ GUARDED_BY(mutex_);
};

}  // namespace

std::shared_ptr<const Policy> policy_within(std::shared_ptr<const Rights> components,
                                            std::shared_ptr<const Policy> policy) {
  return std::make_shared<const PolicyWithin>(std::move(components), std::move(policy));
}

}  // namespace mcph
