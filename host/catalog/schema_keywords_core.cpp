// Identifiers and references, definitions, defaults; and the keywords that are not checked.
#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include "catalog/schema_defaults.hpp"
#include "catalog/schema_evaluation.hpp"
#include "catalog/schema_keywords.hpp"

namespace mcph::schema {
namespace {

using nlohmann::json;

class Reference final : public Keyword {
 public:
  explicit Reference(std::size_t slot) : slot_(slot) {}

  bool check(const json& value, const InstancePath& at, Evaluation& run) const override {
    return run.check_reference(slot_, value, at);
  }
  void fill_defaults(json& value, DefaultFiller& filler) const override { filler.fill_reference(slot_, value); }

 private:
  std::size_t slot_;
};

Result<KeywordPtr> compile_reference(const KeywordSite& site) {
  if (!site.value.is_string()) return site.error("must be a string");
  const auto& uri = site.value.get_ref<const std::string&>();
  if (!uri.starts_with('#')) {
    return site.error(site.value.dump() +
                      " leads out of the schema; only references within it (\"#...\") are followed");
  }
  return std::make_unique<Reference>(site.compiler.add_reference(site, uri.substr(1)));
}

// 2020-12 core, section 8.2.2.
bool is_anchor_name(std::string_view name) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  const auto allowed = [&](char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '-' || c == '.'; };
  return !name.empty() && is_letter(name.front()) && std::all_of(name.begin(), name.end(), allowed);
}

Result<KeywordPtr> compile_anchor(const KeywordSite& site) {
  if (site.dialect() == Dialect::draft_07) return KeywordPtr();
  if (!site.value.is_string() || !is_anchor_name(site.value.get_ref<const std::string&>())) {
    return site.error("must be a name: a letter or \"_\", then letters, digits, \"_\", \"-\" or \".\"");
  }
  if (auto added = site.compiler.add_anchor(site, site.value.get<std::string>()); !added) return added.error();
  return KeywordPtr();
}

Result<KeywordPtr> compile_id(const KeywordSite& site) {
  if (!site.value.is_string()) return site.error("must be a string");
  const auto& uri = site.value.get_ref<const std::string&>();
  // What $anchor became later.
  if (site.dialect() == Dialect::draft_07 && uri.starts_with('#') && uri.size() > 1) {
    if (auto added = site.compiler.add_anchor(site, uri.substr(1)); !added) return added.error();
  }
  return KeywordPtr();
}

Result<KeywordPtr> compile_definitions(const KeywordSite& site) {
  if (auto compiled = site.compile_definitions(); !compiled) return compiled.error();
  return KeywordPtr();
}

Result<KeywordPtr> compile_default(const KeywordSite& site) {
  site.compiler.set_default(site.node, site.value);
  return KeywordPtr();
}

Result<KeywordPtr> note_unchecked(const KeywordSite& site) {
  site.compiler.add_unchecked(site);
  return KeywordPtr();
}

constexpr std::array core{
    KeywordRule{"$id", compile_id},
    KeywordRule{"$anchor", compile_anchor},
    KeywordRule{"$dynamicAnchor", compile_anchor},
    KeywordRule{"$defs", compile_definitions},
    KeywordRule{"definitions", compile_definitions},
    KeywordRule{"default", compile_default},
    KeywordRule{"$ref", compile_reference},
};

constexpr std::array unchecked{
    KeywordRule{"pattern", note_unchecked},
    KeywordRule{"contains", note_unchecked},
    KeywordRule{"patternProperties", note_unchecked},
    KeywordRule{"propertyNames", note_unchecked},
    KeywordRule{"dependentRequired", note_unchecked},
    KeywordRule{"dependentSchemas", note_unchecked},
    KeywordRule{"dependencies", note_unchecked},
    KeywordRule{"unevaluatedItems", note_unchecked},
    KeywordRule{"unevaluatedProperties", note_unchecked},
    KeywordRule{"$dynamicRef", note_unchecked},
};

}  // namespace

std::span<const KeywordRule> core_keywords() {
  return core;
}

std::span<const KeywordRule> unchecked_keywords() {
  return unchecked;
}

}  // namespace mcph::schema
