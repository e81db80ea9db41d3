// Keywords about objects.
#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "catalog/schema_defaults.hpp"
#include "catalog/schema_evaluation.hpp"
#include "catalog/schema_keywords.hpp"
#include "catalog/schema_value.hpp"

namespace mcph::schema {
namespace {

using nlohmann::json;

class Properties final : public Keyword {
 public:
  explicit Properties(std::vector<std::pair<std::string, NodeIndex>> properties) : properties_(std::move(properties)) {}

  bool check(const json& value, const InstancePath& at, Evaluation& run) const override {
    const auto* members = value.get_ptr<const json::object_t*>();
    if (members == nullptr) return true;
    if (!run.spend(properties_.size(), at)) return false;
    for (const auto& [name, node] : properties_) {
      const auto member = members->find(name);
      if (member != members->end() && !run.check(node, member->second, {&at, &member->first})) return false;
    }
    return true;
  }

  void fill_defaults(json& value, DefaultFiller& filler) const override {
    auto* members = value.get_ptr<json::object_t*>();
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
};

Result<KeywordPtr> compile_properties(const KeywordSite& site) {
  auto properties = site.compile_members();
  if (!properties) return properties.error();
  return std::make_unique<Properties>(*std::move(properties));
}

class Required final : public Keyword {
 public:
  explicit Required(std::vector<std::string> names) : names_(std::move(names)) {}

  bool check(const json& value, const InstancePath& at, Evaluation& run) const override {
    const auto* members = value.get_ptr<const json::object_t*>();
    if (members == nullptr) return true;
    if (!run.spend(names_.size(), at)) return false;
    for (const auto& name : names_) {
      if (members->find(name) != members->end()) continue;
      return run.violation_in_words(at, "required", [&] { return name_of({&at, &name}) + " is required, but absent"; });
    }
    return true;
  }

 private:
  std::vector<std::string> names_;  // in the order of the schema
};

Result<KeywordPtr> compile_required(const KeywordSite& site) {
  if (!site.value.is_array()) return site.error("must be an array of property names");
  std::vector<std::string> names;
  std::set<std::string> seen;
  for (const auto& name : site.value) {
    if (!name.is_string()) return site.error("must be an array of property names, but has " + short_text(name));
    if (!seen.insert(name).second) return site.error(short_text(name) + " stands there twice");
    names.push_back(name);
  }
  return std::make_unique<Required>(std::move(names));
}

// Members that `properties` beside it does not name.
class AdditionalProperties final : public Keyword {
 public:
  AdditionalProperties(NodeIndex node, bool forbidden, std::vector<std::string> named)
      : node_(node), forbidden_(forbidden), hint_(in_words(named)), named_(std::move(named)) {
    std::sort(named_.begin(), named_.end());
  }

  bool check(const json& value, const InstancePath& at, Evaluation& run) const override {
    const auto* members = value.get_ptr<const json::object_t*>();
    if (members == nullptr) return true;
    if (!run.spend(members->size(), at)) return false;
    for (const auto& [name, member] : *members) {
      if (std::binary_search(named_.begin(), named_.end(), name)) continue;
      const InstancePath here{&at, &name};
      if (forbidden_) return run.violation(here, "additionalProperties", [&] { return "is not allowed; " + hint_; });
      if (!run.check(node_, member, here)) return false;
    }
    return true;
  }

  void fill_defaults(json& value, DefaultFiller& filler) const override {
    auto* members = value.get_ptr<json::object_t*>();
    if (members == nullptr) return;
    for (auto& [name, member] : *members) {
      if (!std::binary_search(named_.begin(), named_.end(), name)) filler.fill(node_, member);
    }
  }

 private:
  static std::string in_words(const std::vector<std::string>& named) {
    constexpr std::size_t most = 20;
    if (named.empty()) return "the object must be empty";
    std::string text = "the known properties are ";
    for (std::size_t index = 0; index < std::min(named.size(), most); ++index) {
      if (index > 0) text += ", ";
      text += in_quotes(named[index]);
    }
    if (named.size() > most) text += " and " + std::to_string(named.size() - most) + " more";
    return text;
  }

  NodeIndex node_;
  bool forbidden_;
  std::string hint_;
  std::vector<std::string> named_;
};

Result<KeywordPtr> compile_additional_properties(const KeywordSite& site) {
  const auto node = site.compile();
  if (!node) return node.error();
  // Which members the patterns would claim is not known without matching them.
  if (site.sibling("patternProperties") != nullptr) {
    site.compiler.add_unchecked(site);
    return KeywordPtr();
  }
  std::vector<std::string> named;
  if (const auto* properties = site.sibling("properties")) {
    for (const auto& [name, schema] : properties->items()) {
      named.push_back(name);
    }
  }
  return std::make_unique<AdditionalProperties>(*node, site.value == false, std::move(named));
}

constexpr std::array rules{
    KeywordRule{"required", compile_required},
    KeywordRule{"additionalProperties", compile_additional_properties},
    KeywordRule{"properties", compile_properties},
};

}  // namespace

std::span<const KeywordRule> object_keywords() {
  return rules;
}

}  // namespace mcph::schema
