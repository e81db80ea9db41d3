// Who may use which components, as an operator says it: roles, each with patterns of what it allows and what it denies.
// What one rule of a principal's roles denies is denied, whatever others allow; what none allows is not there.
// Immutable once made; any thread.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "auth/argument_names.hpp"
#include "base/component_pattern.hpp"
#include "base/json.hpp"
#include "base/mutex.hpp"
#include "base/principal.hpp"
#include "base/result.hpp"
#include "catalog/rights.hpp"
#include "schema/schema.hpp"

namespace mcph {

// A rule as it is written: what it is about, and what a component or a call of it must have besides.
struct RuleText {
  std::string match = {};                     // "tool:deploy*", "resource:docs://*", "prompt:*", or "*"
  std::optional<bool> read_only = {};         // the tool says of itself that it is, or does not
  std::string tag = {};                       // that the tool has; empty: any
  std::optional<OrderedJson> arguments = {};  // a JSON Schema
};

struct RoleText {
  std::vector<RuleText> allow = {};
  std::vector<RuleText> deny = {};
  // Who has the role, besides those whose credential says so.
  std::vector<std::string> groups = {};
  std::vector<std::string> scopes = {};
  std::vector<std::string> principals = {};  // Principal::id
  std::vector<std::string> issuers = {};     // Identity::issuer
  // The same: whose users do not have it, whatever gives it.
  std::vector<std::string> withheld_from = {};
};

using RoleTexts = std::map<std::string, RoleText>;

class Rule {
 public:
  static Result<Rule> compile(const RuleText& text);

  using Kind = ComponentPattern::Kind;
  // As ComponentPattern has them.
  bool matches(Kind kind, std::string_view name) const { return pattern_.matches(kind, name); }
  bool matches_some(std::string_view beginning) const { return pattern_.matches_some(beginning); }
  bool matches_all(std::string_view beginning) const { return pattern_.matches_all(beginning); }
  std::size_t precision() const { return pattern_.precision(); }
  // What it asks of the tool itself.
  bool covers(const Tool& tool) const;
  bool is_unconditional() const { return !read_only_ && tag_.empty() && !arguments_; }
  // Null: any.
  const Schema* arguments() const { return arguments_ ? &*arguments_ : nullptr; }
  // One that differs from a name in the schema by its case alone, at any level: whoever serves the call may take it for
  // that.
  std::optional<std::string> misspelt_argument(JsonValue arguments) const {
    return argument_names_.misspelt_in(arguments);
  }
  // What it is about and all that it asks for besides: "tool:* with read_only true, tag beta, arguments {...}".
  const std::string& text() const { return text_; }

 private:
  Rule() = default;

  std::string text_;
  ComponentPattern pattern_;
  std::optional<bool> read_only_;
  std::string tag_;
  std::optional<Schema> arguments_;
  ArgumentNames argument_names_;  // of that schema
};

// A server that has these components of all; of them a principal has those that `policy` gives it, all if it is null.
// The rights of a principal that may use them all are `components` themselves.
std::shared_ptr<const Policy> policy_within(std::shared_ptr<const Rights> components,
                                            std::shared_ptr<const Policy> policy);

// What somebody wants to use, for decide.
struct Use {
  Rule::Kind kind = Rule::Kind::tool;
  std::string_view name;       // of a tool or a prompt; the URI of a resource
  const Tool* tool = nullptr;  // of a tool that is served
  const nlohmann::json& arguments;
};

// Whether some roles permit a use, and the rule by which they do or do not.
struct Decision {
  bool permitted = false;
  std::string role = {};      // empty: no rule is about it
  bool by_denial = false;     // the rule is one of those that deny
  std::size_t rule = 0;       // which of those of its kind
  std::string pattern = {};   // Rule::text
  std::string mismatch = {};  // what of the use the rule does not allow, in words; empty: the rule itself decides
};

class RolePolicy {
 public:
  // An error names the role and the rule.
  static Result<std::shared_ptr<const RolePolicy>> compile(const RoleTexts& roles);

  bool has_role(std::string_view name) const { return roles_->contains(name); }
  // Those of the principal that there are, whoever gives them.
  std::set<std::string> roles_of(const Principal& principal) const;
  // What these roles may do together. The same object for the same arguments, unless so many others have come that it
  // has been forgotten. Who can get further scopes sees what they would permit, too, and is told of them when it is
  // called; `issuer` is who would give them.
  std::shared_ptr<const Rights> rights_of(const std::set<std::string>& roles, bool can_get_scopes = false,
                                          const std::string& issuer = {}) const;
  // The same of one use, with the reason.
  Decision decide(const std::set<std::string>& roles, const Use& use) const;

 private:
  struct Role {
    std::vector<Rule> allow;
    std::vector<Rule> deny;
    std::set<std::string> groups;
    std::set<std::string> scopes;
    std::set<std::string> principals;
    std::set<std::string> issuers;
    std::set<std::string> withheld_from;
  };
  class RoleRights;
  using Roles = std::map<std::string, Role, std::less<>>;

  static constexpr std::size_t max_rights = 1024;

  explicit RolePolicy(Roles roles) : roles_(std::make_shared<const Roles>(std::move(roles))) {}
  static Result<Role> compile(const RoleText& text);

  const std::shared_ptr<const Roles> roles_;
  mutable Mutex mutex_;
  // By the roles that somebody has, and those that further scopes would give.
  mutable std::map<std::pair<std::set<std::string>, std::set<std::string>>, std::shared_ptr<const Rights>> rights_
      GUARDED_BY(mutex_);
};

}  // namespace mcph
