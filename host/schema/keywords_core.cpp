// Identifiers and references, definitions, defaults.
#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "base/json.hpp"
#include "schema/defaults.hpp"
#include "schema/evaluation.hpp"
#include "schema/keywords.hpp"
#include "schema/uri.hpp"

namespace mcph::schema {
namespace {

class Reference final : public Keyword {
 public:
  explicit Reference(std::size_t slot) : slot_(slot) {}

  bool check(JsonValue value, const InstancePath& at, Evaluation& run) const override {
    return run.check_reference(slot_, value, at);
  }
  void fill_defaults(Json& value, DefaultFiller& filler) const override { filler.fill_reference(slot_, value); }

 private:
  std::size_t slot_;
};

template <bool is_dynamic>
Result<KeywordPtr> compile_reference(const KeywordSite& site) {
  if (!site.value.is_string()) return site.error("must be a string");
  return std::make_unique<Reference>(site.compiler.add_reference(site, is_dynamic));
}

// 2020-12 core, section 8.2.2.
bool is_anchor_name(std::string_view name) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  const auto allowed = [&](char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '-' || c == '.'; };
  return !name.empty() && is_letter(name.front()) && std::all_of(name.begin(), name.end(), allowed);
}

Result<std::string> read_anchor(const KeywordSite& site) {
  if (!site.value.is_string() || !is_anchor_name(site.value.get_ref<const std::string&>())) {
    return site.error("must be a name: a letter or \"_\", then letters, digits, \"_\", \"-\" or \".\"");
  }
  return site.value.get<std::string>();
}

Result<KeywordPtr> compile_anchor(const KeywordSite& site) {
  auto name = read_anchor(site);
  if (!name) return name.error();
  auto added = site.compiler.resources().add_anchor(site.subschema, *std::move(name), site.location());
  if (!added) return added.error();
  return KeywordPtr();
}

Result<KeywordPtr> compile_dynamic_anchor(const KeywordSite& site) {
  auto name = read_anchor(site);
  if (!name) return name.error();
  auto added = site.compiler.resources().add_dynamic_anchor(site.subschema, *std::move(name), site.location());
  if (!added) return added.error();
  return KeywordPtr();
}

// That it makes a resource is the business of Resources.
Result<KeywordPtr> compile_id(const KeywordSite& site) {
  if (!site.value.is_string()) return site.error("must be a string");
  const auto fragment = split_fragment(site.value.get_ref<const std::string&>()).fragment;
  if (fragment.empty()) return KeywordPtr();
  if (site.draft() == Draft::draft_2020_12) return site.error("must have no fragment; \"$anchor\" gives a name");
  // What $anchor became later.
  auto added = site.compiler.resources().add_anchor(site.subschema, std::string(fragment), site.location());
  if (!added) return added.error();
  return KeywordPtr();
}

Result<KeywordPtr> compile_definitions(const KeywordSite& site) {
  if (auto compiled = site.compile_members(); !compiled) return compiled.error();
  return KeywordPtr();
}

Result<KeywordPtr> compile_default(const KeywordSite& site) {
  site.compiler.set_default(site.node, site.value);
  return KeywordPtr();
}

constexpr std::array core{
    KeywordRule{"$id", compile_id},
    KeywordRule{"$anchor", compile_anchor, Vocabulary::core, in_2020_12},
    KeywordRule{"$dynamicAnchor", compile_dynamic_anchor, Vocabulary::core, in_2020_12},
    KeywordRule{"$defs", compile_definitions, Vocabulary::core, in_2020_12},
    KeywordRule{"definitions", compile_definitions},
    KeywordRule{"default", compile_default},
    KeywordRule{"$ref", compile_reference<false>},
    KeywordRule{"$dynamicRef", compile_reference<true>, Vocabulary::core, in_2020_12},
};

}  // namespace

std::span<const KeywordRule> core_keywords() {
  return core;
}

Result<KeywordPtr> compile_unused(const KeywordSite& site) {
  if (auto node = site.compile(); !node) return node.error();
  return KeywordPtr();
}

}  // namespace mcph::schema
