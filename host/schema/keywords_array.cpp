// Keywords about arrays.
#include <algorithm>
#include <array>
#include <bit>
#include <compare>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/json.hpp"
#include "schema/defaults.hpp"
#include "schema/evaluation.hpp"
#include "schema/keywords.hpp"
#include "schema/value.hpp"

namespace mcph::schema {
namespace {

// The elements from `first` on, each against the same subschema.
class Items final : public Keyword {
 public:
  Items(NodeIndex node, std::size_t first) : node_(node), first_(first) {}

  bool check(JsonValue value, const InstancePath& at, Evaluation& run) const override {
    std::size_t index = 0;
    for (const auto element : value.elements()) {
      if (index >= first_ && !run.check_child(node_, element, {&at, std::nullopt, index})) return false;
      ++index;
    }
    return true;
  }

  void fill_defaults(Json& value, DefaultFiller& filler) const override {
    auto* elements = value.get_ptr<Json::array_t*>();
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

  bool check(JsonValue value, const InstancePath& at, Evaluation& run) const override {
    std::size_t index = 0;
    for (const auto element : value.elements()) {
      if (index == nodes_.size()) break;
      if (!run.check_child(nodes_[index], element, {&at, std::nullopt, index})) return false;
      ++index;
    }
    return true;
  }

  void fill_defaults(Json& value, DefaultFiller& filler) const override {
    auto* elements = value.get_ptr<Json::array_t*>();
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

Result<KeywordPtr> compile_rest(const KeywordSite& site, const OrderedJson* tuple) {
  const auto node = site.compile();
  if (!node) return node.error();
  return std::make_unique<Items>(*node, tuple != nullptr && tuple->is_array() ? tuple->size() : 0);
}

Result<KeywordPtr> compile_items(const KeywordSite& site) {
  if (site.draft() == Draft::draft_2020_12) {
    if (site.value.is_array()) return site.error("must be a schema; an array of schemas is \"prefixItems\" in 2020-12");
    return compile_rest(site, site.sibling("prefixItems"));
  }
  return site.value.is_array() ? compile_tuple(site) : compile_rest(site, nullptr);
}

Result<KeywordPtr> compile_additional_items(const KeywordSite& site) {
  const auto* tuple = site.sibling("items");
  // Draft-07 validation, section 6.4.2: without a tuple the keyword counts for nothing.
  if (tuple == nullptr || !tuple->is_array()) return compile_unused(site);
  return compile_rest(site, tuple);
}

class UniqueItems final : public Keyword {
 public:
  bool check(JsonValue value, const InstancePath& at, Evaluation& run) const override {
    if (!value.is_array() || value.size() < 2) return true;
    if (!run.spend(steps_to_read(value.text()) + steps_to_sort(value), at)) return false;
    // Comparing recurses as deep as the values are.
    if (nested_deeper_than(value, Schema::max_depth)) return run.too_deep(at);

    // Sorted, because comparing each with each would let a long array take for ever.
    std::vector<JsonValue> sorted;
    sorted.reserve(value.size());
    for (const auto element : value.elements())
      sorted.push_back(element);
    std::sort(sorted.begin(), sorted.end(), [](auto a, auto b) { return std::is_lt(compare_values(a, b)); });
    const auto twin = std::adjacent_find(sorted.begin(), sorted.end(),
                                         [](auto a, auto b) { return std::is_eq(compare_values(a, b)); });
    if (twin == sorted.end()) return true;
    return run.violation(at, "uniqueItems",
                         [&] { return "must not have equal items, but has " + describe(*twin) + " twice"; });
  }

 private:
  // To sort them takes as many comparisons for each, about, as their number has bits, perhaps of all that is in it. Of
  // the longest no more is looked at than the next longest has.
  static std::size_t steps_to_sort(JsonValue elements) {
    std::size_t all = 0;
    std::size_t longest = 0;
    std::size_t next_longest = 0;
    for (const auto element : elements.elements()) {
      const auto steps = element.values() + steps_to_compare(element.text());
      all += steps;
      next_longest = std::max(next_longest, std::min(steps, longest));
      longest = std::max(longest, steps);
    }
    return (all - longest + next_longest) * static_cast<std::size_t>(std::bit_width(elements.size()));
  }
};

Result<KeywordPtr> compile_unique_items(const KeywordSite& site) {
  if (!site.value.is_boolean()) return site.error("must be true or false");
  if (!site.value.get<bool>()) return KeywordPtr();
  return std::make_unique<UniqueItems>();
}

// contains, with the minContains and maxContains beside it.
class Contains final : public Keyword {
 public:
  Contains(NodeIndex node, std::size_t fewest, std::size_t most) : node_(node), fewest_(fewest), most_(most) {}

  bool check(JsonValue value, const InstancePath& at, Evaluation& run) const override {
    if (!value.is_array()) return true;
    const auto count = count_fitting(value, at, run);
    if (count < fewest_) {
      return run.violation(at, fewest_ == 1 ? "contains" : "minContains", [&] {
        return "must have at least " + in_words(fewest_) + " of the form that \"contains\" asks for, but has " +
               std::to_string(count);
      });
    }
    if (count <= most_) return true;
    return run.violation(at, "maxContains", [&] {
      return "must have at most " + in_words(most_) + " of the form that \"contains\" asks for, but has more";
    });
  }

 private:
  // Counts no further than it takes to decide.
  std::size_t count_fitting(JsonValue array, const InstancePath& at, Evaluation& run) const {
    std::size_t count = 0;
    std::size_t index = 0;
    for (const auto element : array.elements()) {
      const bool is_decided = count > most_ || (count >= fewest_ && most_ == SIZE_MAX);
      if (is_decided && !run.notes_children()) break;
      if (!run.check_alternative_apart(node_, element, {&at, std::nullopt, index++})) continue;
      run.note_child(element);
      ++count;
    }
    return count;
  }

  static std::string in_words(std::size_t count) { return std::to_string(count) + (count == 1 ? " item" : " items"); }

  NodeIndex node_;
  std::size_t fewest_;
  std::size_t most_;
};

// A number of items beside contains; `otherwise` without it.
Result<std::size_t> read_contains_bound(const KeywordSite& site, std::string_view keyword, std::size_t otherwise) {
  const auto* bound = site.sibling(keyword);
  if (bound == nullptr || site.draft() == Draft::draft_07 || !site.has(Vocabulary::validation)) return otherwise;
  return read_size(KeywordSite{site.compiler, site.subschema, site.node, keyword, *bound});
}

Result<KeywordPtr> compile_contains(const KeywordSite& site) {
  const auto node = site.compile();
  if (!node) return node.error();
  const auto fewest = read_contains_bound(site, "minContains", 1);
  if (!fewest) return fewest.error();
  const auto most = read_contains_bound(site, "maxContains", SIZE_MAX);
  if (!most) return most.error();
  return std::make_unique<Contains>(*node, *fewest, *most);
}

// minContains and maxContains alone restrict nothing, and are still to be sizes.
Result<KeywordPtr> compile_contains_bound(const KeywordSite& site) {
  if (const auto size = read_size(site); !size) return size.error();
  return KeywordPtr();
}

constexpr std::array array_rules{
    KeywordRule{"prefixItems", compile_tuple, Vocabulary::applicator, in_2020_12},
    KeywordRule{"items", compile_items, Vocabulary::applicator},
    KeywordRule{"additionalItems", compile_additional_items, Vocabulary::applicator, in_draft_07},
    KeywordRule{"uniqueItems", compile_unique_items, Vocabulary::validation},
    KeywordRule{"minContains", compile_contains_bound, Vocabulary::validation, in_2020_12},
    KeywordRule{"maxContains", compile_contains_bound, Vocabulary::validation, in_2020_12},
    KeywordRule{"contains", compile_contains, Vocabulary::applicator},
};

}  // namespace

std::span<const KeywordRule> array_keywords() {
  return array_rules;
}

}  // namespace mcph::schema
