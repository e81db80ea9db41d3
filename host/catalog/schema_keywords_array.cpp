// Keywords about arrays.
#include <algorithm>
#include <array>
#include <compare>
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

// The elements from `first` on, each against the same subschema.
class Items final : public Keyword {
 public:
  Items(NodeIndex node, std::size_t first) : node_(node), first_(first) {}

  bool check(const json& value, const InstancePath& at, Evaluation& run) const override {
    const auto* elements = value.get_ptr<const json::array_t*>();
    if (elements == nullptr) return true;
    for (auto index = first_; index < elements->size(); ++index) {
      if (!run.check(node_, (*elements)[index], {&at, nullptr, index})) return false;
    }
    return true;
  }

  void fill_defaults(json& value, DefaultFiller& filler) const override {
    auto* elements = value.get_ptr<json::array_t*>();
    if (elements == nullptr) return;
    for (auto index = first_; index < elements->size(); ++index) {
      filler.fill(node_, (*elements)[index]);
    }
  }

 private:
  NodeIndex node_;
  std::size_t first_;
};

// The first elements, each against a subschema of its own.
class PrefixItems final : public Keyword {
 public:
  explicit PrefixItems(std::vector<NodeIndex> nodes) : nodes_(std::move(nodes)) {}

  bool check(const json& value, const InstancePath& at, Evaluation& run) const override {
    const auto* elements = value.get_ptr<const json::array_t*>();
    if (elements == nullptr) return true;
    for (std::size_t index = 0; index < std::min(nodes_.size(), elements->size()); ++index) {
      if (!run.check(nodes_[index], (*elements)[index], {&at, nullptr, index})) return false;
    }
    return true;
  }

  void fill_defaults(json& value, DefaultFiller& filler) const override {
    auto* elements = value.get_ptr<json::array_t*>();
    if (elements == nullptr) return;
    for (std::size_t index = 0; index < std::min(nodes_.size(), elements->size()); ++index) {
      filler.fill(nodes_[index], (*elements)[index]);
    }
  }

 private:
  std::vector<NodeIndex> nodes_;
};

Result<KeywordPtr> compile_tuple(const KeywordSite& site) {
  auto nodes = site.compile_elements();
  if (!nodes) return nodes.error();
  return std::make_unique<PrefixItems>(*std::move(nodes));
}

Result<KeywordPtr> compile_rest(const KeywordSite& site, const nlohmann::ordered_json* tuple) {
  const auto node = site.compile();
  if (!node) return node.error();
  return std::make_unique<Items>(*node, tuple != nullptr && tuple->is_array() ? tuple->size() : 0);
}

Result<KeywordPtr> compile_items(const KeywordSite& site) {
  if (site.dialect() == Dialect::draft_2020_12) {
    if (site.value.is_array()) return site.error("must be a schema; an array of schemas is \"prefixItems\" in 2020-12");
    return compile_rest(site, site.sibling("prefixItems"));
  }
  return site.value.is_array() ? compile_tuple(site) : compile_rest(site, nullptr);
}

Result<KeywordPtr> compile_prefix_items(const KeywordSite& site) {
  if (site.dialect() == Dialect::draft_07) return KeywordPtr();
  return compile_tuple(site);
}

Result<KeywordPtr> compile_additional_items(const KeywordSite& site) {
  if (site.dialect() == Dialect::draft_2020_12) return KeywordPtr();
  const auto* tuple = site.sibling("items");
  // Draft-07 validation, section 6.4.2: without a tuple the keyword counts for nothing.
  if (tuple == nullptr || !tuple->is_array()) return KeywordPtr();
  return compile_rest(site, tuple);
}

class UniqueItems final : public Keyword {
 public:
  bool check(const json& value, const InstancePath& at, Evaluation& run) const override {
    const auto* elements = value.get_ptr<const json::array_t*>();
    if (elements == nullptr || elements->size() < 2) return true;
    if (!run.spend(elements->size(), at)) return false;
    // Comparing recurses as deep as the values are.
    if (nested_deeper_than(value, Schema::max_depth)) return run.too_deep(at);

    // Sorted, because comparing each with each would let a long array take for ever.
    std::vector<const json*> sorted;
    sorted.reserve(elements->size());
    for (const auto& element : *elements) {
      sorted.push_back(&element);
    }
    std::sort(sorted.begin(), sorted.end(), [](auto a, auto b) { return std::is_lt(compare_values(*a, *b)); });
    const auto twin = std::adjacent_find(sorted.begin(), sorted.end(),
                                         [](auto a, auto b) { return std::is_eq(compare_values(*a, *b)); });
    if (twin == sorted.end()) return true;
    return run.violation(at, "uniqueItems",
                         [&] { return "must not have equal items, but has " + describe(**twin) + " twice"; });
  }
};

Result<KeywordPtr> compile_unique_items(const KeywordSite& site) {
  if (!site.value.is_boolean()) return site.error("must be true or false");
  if (!site.value.get<bool>()) return KeywordPtr();
  return std::make_unique<UniqueItems>();
}

constexpr std::array rules{
    KeywordRule{"prefixItems", compile_prefix_items},
    KeywordRule{"items", compile_items},
    KeywordRule{"additionalItems", compile_additional_items},
    KeywordRule{"uniqueItems", compile_unique_items},
};

}  // namespace

std::span<const KeywordRule> array_keywords() {
  return rules;
}

}  // namespace mcph::schema
