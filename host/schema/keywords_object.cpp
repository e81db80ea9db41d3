// Keywords about objects.
#include <algorithm>
#include <array>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/json.hpp"
#include "base/similar_name.hpp"
#include "schema/defaults.hpp"
#include "schema/evaluation.hpp"
#include "schema/keywords.hpp"
#include "schema/pattern.hpp"
#include "schema/value.hpp"

namespace mcph::schema {
namespace {

class Properties final : public Keyword {
 public:
  explicit Properties(std::vector<std::pair<std::string, NodeIndex>> properties)
      : properties_(std::move(properties)),
        steps_(steps_to_find(properties_, &std::pair<std::string, NodeIndex>::first)) {}

  bool check(JsonValue value, const InstancePath& at, Evaluation& run) const override {
    if (!value.is_object()) return true;
    if (!run.spend(steps_, at)) return false;
    for (const auto& [name, node] : properties_) {
      const auto member = value.find(name);
      if (member && !run.check_child(node, member, {&at, name})) return false;
    }
    return true;
  }

  void fill_defaults(Json& value, DefaultFiller& filler) const override {
    auto* members = value.get_ptr<Json::object_t*>();
    if (members == nullptr) return;
    for (const auto& [name, node] : properties_) {
      const auto member = members->find(name);
      if (member != members->end()) {
        filler.fill(node, member->second);
      } else if (const auto* absent = filler.take_default(node, name)) {
        members->emplace(name, *absent);
      }
    }
  }

 private:
  std::vector<std::pair<std::string, NodeIndex>> properties_;  // in the order of the schema
  std::size_t steps_;                                          // of a check
};

Result<KeywordPtr> compile_properties(const KeywordSite& site) {
  auto properties = site.compile_members();
  if (!properties) return properties.error();
  return std::make_unique<Properties>(*std::move(properties));
}

class Required final : public Keyword {
 public:
  explicit Required(std::vector<std::string> names) : names_(std::move(names)), steps_(steps_to_find(names_)) {}

  bool check(JsonValue value, const InstancePath& at, Evaluation& run) const override {
    if (!value.is_object()) return true;
    if (!run.spend(steps_, at)) return false;
    for (const auto& name : names_) {
      if (value.contains(name)) continue;
      return run.violation_in_words(at, "required", [&] {
        const auto misspelt = misspelt_in(value, name, at, run);
        return name_of({&at, name}) + " is required, but absent" +
               (misspelt.empty() ? "" : "; did you mean it by " + in_quotes(misspelt) + "?");
      });
    }
    return true;
  }

 private:
  // A member that is not required and has almost this name; empty: there is none.
  std::string misspelt_in(JsonValue object, const std::string& name, const InstancePath& at, Evaluation& run) const {
    constexpr std::size_t min_name = 4;   // a shorter one is like any other
    constexpr std::size_t max_name = 64;  // comparing takes as long as the product of their lengths
    constexpr std::size_t max_looked_at = 256;
    constexpr std::size_t max_compared = 32;
    constexpr std::size_t max_added = 2;
    std::vector<std::string> others;
    if (name.size() < min_name || name.size() > max_name) return {};
    if (!run.spend(max_compared * (1 + name.size()), at)) return {};
    std::size_t looked_at = 0;
    for (const auto [key, member] : object.members()) {
      if (others.size() == max_compared || ++looked_at > max_looked_at) break;
      if (key.size() > name.size() + max_added || std::ranges::find(names_, key) != names_.end()) continue;
      others.emplace_back(key);
    }
    return similar_name(name, others);
  }

  std::vector<std::string> names_;  // in the order of the schema
  std::size_t steps_;               // of a check
};

Result<KeywordPtr> compile_required(const KeywordSite& site) {
  auto names = read_names(site, site.value);
  if (!names) return names.error();
  return std::make_unique<Required>(*std::move(names));
}

// A pattern of patternProperties, with what it asks of the members that it claims.
struct PatternNode {
  std::shared_ptr<const Pattern> pattern;
  NodeIndex node;
};

Result<std::shared_ptr<const Pattern>> compile_pattern(const KeywordSite& site, std::string_view text) {
  auto pattern = site.compile_pattern(text);
  if (!pattern) return pattern.error();
  return std::make_shared<const Pattern>(*std::move(pattern));
}

class PatternProperties final : public Keyword {
 public:
  explicit PatternProperties(std::vector<PatternNode> patterns) : patterns_(std::move(patterns)) {}

  bool check(JsonValue value, const InstancePath& at, Evaluation& run) const override {
    if (!value.is_object()) return true;
    for (const auto [name, member] : value.members()) {
      const InstancePath here{&at, name};
      for (const auto& [pattern, node] : patterns_) {
        if (run.matches(*pattern, name, here) && !run.check_child(node, member, here)) return false;
      }
    }
    return true;
  }

 private:
  std::vector<PatternNode> patterns_;
};

Result<KeywordPtr> compile_pattern_properties(const KeywordSite& site) {
  const auto members = site.compile_members();
  if (!members) return members.error();
  std::vector<PatternNode> patterns;
  for (const auto& [text, node] : *members) {
    auto pattern = compile_pattern(site, text);
    if (!pattern) return pattern.error();
    patterns.push_back({*std::move(pattern), node});
  }
  return std::make_unique<PatternProperties>(std::move(patterns));
}

// Members that neither `properties` nor `patternProperties` beside it claims.
class AdditionalProperties final : public Keyword {
 public:
  AdditionalProperties(NodeIndex node, bool forbidden, std::vector<std::string> named,
                       std::vector<std::shared_ptr<const Pattern>> patterns)
      : node_(node),
        forbidden_(forbidden),
        hint_(in_words(named, !patterns.empty())),
        named_(std::move(named)),
        steps_(steps_to_find(named_)),
        patterns_(std::move(patterns)) {
    std::sort(named_.begin(), named_.end());
  }

  bool check(JsonValue value, const InstancePath& at, Evaluation& run) const override {
    if (!value.is_object()) return true;
    if (!run.spend(value.size() + steps_, at)) return false;
    // Both are sorted.
    auto claimed = named_.begin();
    for (const auto [name, member] : value.members()) {
      while (claimed != named_.end() && *claimed < name) {
        ++claimed;
      }
      if (claimed != named_.end() && *claimed == name) continue;
      const InstancePath here{&at, name};
      if (is_claimed_by_pattern(name, here, run)) continue;
      if (forbidden_) return run.violation(here, "additionalProperties", [&] { return "is not allowed; " + hint_; });
      if (!run.check_child(node_, member, here)) return false;
    }
    return true;
  }

  void fill_defaults(Json& value, DefaultFiller& filler) const override {
    auto* members = value.get_ptr<Json::object_t*>();
    // Which members the patterns claim takes matching them.
    if (members == nullptr || !patterns_.empty()) return;
    for (auto& [name, member] : *members) {
      if (!std::binary_search(named_.begin(), named_.end(), name)) filler.fill(node_, member);
    }
  }

 private:
  bool is_claimed_by_pattern(std::string_view name, const InstancePath& at, Evaluation& run) const {
    return std::any_of(patterns_.begin(), patterns_.end(),
                       [&](const auto& pattern) { return run.matches(*pattern, name, at); });
  }

  static std::string in_words(const std::vector<std::string>& named, bool has_patterns) {
    constexpr std::size_t most = 20;
    if (named.empty()) return has_patterns ? "no pattern fits its name" : "the object must be empty";
    std::string text = "the known properties are ";
    for (std::size_t index = 0; index < std::min(named.size(), most); ++index) {
      if (index > 0) text += ", ";
      text += in_quotes(named[index]);
    }
    if (named.size() > most) text += " and " + std::to_string(named.size() - most) + " more";
    return has_patterns ? text + " and those that fit a pattern" : text;
  }

  NodeIndex node_;
  bool forbidden_;
  std::string hint_;
  std::vector<std::string> named_;
  std::size_t steps_;  // to find them
  std::vector<std::shared_ptr<const Pattern>> patterns_;
};

Result<KeywordPtr> compile_additional_properties(const KeywordSite& site) {
  const auto node = site.compile();
  if (!node) return node.error();
  std::vector<std::string> named;
  const auto* properties = site.sibling("properties");
  if (properties != nullptr && properties->is_object()) {
    for (const auto& [name, schema] : properties->items()) {
      named.push_back(name);
    }
  }
  std::vector<std::shared_ptr<const Pattern>> patterns;
  const auto* by_pattern = site.sibling("patternProperties");
  if (by_pattern != nullptr && by_pattern->is_object()) {
    const KeywordSite beside{site.compiler, site.subschema, site.node, "patternProperties", *by_pattern};
    for (const auto& [text, schema] : by_pattern->items()) {
      auto pattern = compile_pattern(beside, text);
      if (!pattern) return pattern.error();
      patterns.push_back(*std::move(pattern));
    }
  }
  return std::make_unique<AdditionalProperties>(*node, site.value == false, std::move(named), std::move(patterns));
}

class PropertyNames final : public Keyword {
 public:
  explicit PropertyNames(NodeIndex node) : node_(node) {}

  bool check(JsonValue value, const InstancePath& at, Evaluation& run) const override {
    if (!value.is_object()) return true;
    for (const auto member : value.members()) {
      const InstancePath here{&at, member.key};
      const auto name = member.key_as_value();
      if (run.check_alternative_apart(node_, name, here)) continue;
      return run.violation(here, "propertyNames", [&] {
        const auto reason = run.reason_against(node_, name, here);
        return "has a name that is not allowed" + (reason.empty() ? "" : ": as a name, " + reason);
      });
    }
    return true;
  }

 private:
  NodeIndex node_;
};

Result<KeywordPtr> compile_property_names(const KeywordSite& site) {
  const auto node = site.compile();
  if (!node) return node.error();
  return std::make_unique<PropertyNames>(*node);
}

constexpr std::array object_rules{
    KeywordRule{"required", compile_required, Vocabulary::validation},
    KeywordRule{"additionalProperties", compile_additional_properties, Vocabulary::applicator},
    KeywordRule{"properties", compile_properties, Vocabulary::applicator},
    KeywordRule{"patternProperties", compile_pattern_properties, Vocabulary::applicator},
    KeywordRule{"propertyNames", compile_property_names, Vocabulary::applicator},
};

}  // namespace

Result<std::vector<std::string>> read_names(const KeywordSite& site, const OrderedJson& list) {
  if (!list.is_array()) return site.error("must be an array of property names");
  std::vector<std::string> names;
  std::set<std::string> seen;
  for (const auto& name : list) {
    if (!name.is_string()) return site.error("must be an array of property names, but has " + short_text(name));
    if (!seen.insert(name).second) return site.error(short_text(name) + " stands there twice");
    names.push_back(name);
  }
  return names;
}

std::span<const KeywordRule> object_keywords() {
  return object_rules;
}

}  // namespace mcph::schema
