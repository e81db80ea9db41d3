#include "auth/argument_names.hpp"

#include <algorithm>
#include <array>
#include <compare>
#include <string_view>
#include <utility>

#include "base/ascii.hpp"
#include "base/json.hpp"

namespace mcph {
namespace {

// Takes the first character from a text that has one. One of several bytes is taken byte by byte, unless it has a case
// in ASCII.
char take_folded(std::string_view& text) {
  constexpr std::string_view long_s = "\xC5\xBF";
  constexpr std::string_view kelvin = "\xE2\x84\xAA";
  const bool is_s = text.starts_with(long_s);
  const bool is_k = text.starts_with(kelvin);
  const char first = is_s ? 's' : is_k ? 'k' : lower_case(text.front());
  text.remove_prefix(is_s ? long_s.size() : is_k ? kelvin.size() : 1);
  return first;
}

bool is_before_folded(std::string_view a, std::string_view b) {
  while (!a.empty() && !b.empty()) {
    if (const auto order = take_folded(a) <=> take_folded(b); std::is_neq(order)) return std::is_lt(order);
  }
  return a.empty() && !b.empty();
}

bool is_misspelt(const std::vector<std::string>& names, std::string_view name) {
  const auto [first, last] = std::equal_range(names.begin(), names.end(), name, is_before_folded);
  return first != last && std::find(first, last, name) == last;
}

// Whose value has a schema, or names, for each of some names or patterns.
struct MapKeyword {
  std::string_view name;
  bool has_names;
  bool is_deeper;  // about what the value holds, and not about the value itself
};
constexpr std::array map_keywords{
    MapKeyword{"properties", true, true},        MapKeyword{"patternProperties", false, true},
    MapKeyword{"dependentSchemas", true, false}, MapKeyword{"dependentRequired", true, false},
    MapKeyword{"dependencies", true, false},     MapKeyword{"$defs", false, false},
    MapKeyword{"definitions", false, false}};
constexpr std::array<std::string_view, 7> deeper_keywords{"items",
                                                          "prefixItems",
                                                          "additionalItems",
                                                          "contains",
                                                          "additionalProperties",
                                                          "unevaluatedItems",
                                                          "unevaluatedProperties"};

// Looks for names where a schema of either dialect can have them.
class NamesInSchema {
 public:
  // A schema, or an array of some.
  void look_into(const OrderedJson& schema, std::size_t level) {
    if (schema.is_array()) {
      for (const auto& each : schema)
        look_into(each, level);
    } else if (schema.is_object()) {
      for (const auto& [keyword, value] : schema.items())
        look_at(keyword, value, level);
    }
  }

  std::vector<std::vector<std::string>> take_levels() { return std::move(levels_); }
  bool has_references() const { return has_references_; }

 private:
  // A reference may lead to the value of a keyword that is not known, so such a one is taken for a schema.
  void look_at(std::string_view keyword, const OrderedJson& value, std::size_t level) {
    if (keyword == "required") return add_texts(value, level);
    if (keyword == "const") return add_members(value, level);
    if (keyword == "enum") {
      for (const auto& each : value)
        add_members(each, level);
      return;
    }
    if (keyword == "default" || keyword == "examples") return;
    if (keyword == "$ref" || keyword == "$dynamicRef") has_references_ = true;
    const auto* const map = std::ranges::find(map_keywords, keyword, &MapKeyword::name);
    if (map != map_keywords.end()) return look_into_map(*map, value, level);
    const bool is_deeper = std::ranges::find(deeper_keywords, keyword) != deeper_keywords.end();
    look_into(value, is_deeper ? level + 1 : level);
  }
  void look_into_map(const MapKeyword& keyword, const OrderedJson& map, std::size_t level) {
    if (!map.is_object()) return;
    for (const auto& [name, value] : map.items()) {
      if (keyword.has_names) {
        add(name, level);
        add_texts(value, level);
      }
      look_into(value, keyword.is_deeper ? level + 1 : level);
    }
  }
  void add_texts(const OrderedJson& names, std::size_t level) {
    if (!names.is_array()) return;
    for (const auto& each : names) {
      if (each.is_string()) add(each.get_ref<const std::string&>(), level);
    }
  }
  // Of a value with which one of its level is compared.
  void add_members(const OrderedJson& value, std::size_t level) {
    if (!value.is_structured()) return;
    for (const auto& [name, each] : value.items()) {
      if (value.is_object()) add(name, level);
      add_members(each, level + 1);
    }
  }
  void add(const std::string& name, std::size_t level) {
    if (levels_.size() <= level) levels_.resize(level + 1);
    levels_[level].push_back(name);
  }

  std::vector<std::vector<std::string>> levels_;
  bool has_references_ = false;
};

}  // namespace

ArgumentNames ArgumentNames::of(const OrderedJson& schema) {
  NamesInSchema found;
  found.look_into(schema, 0);
  ArgumentNames names;
  names.is_of_all_ = found.has_references();
  names.levels_ = found.take_levels();
  if (names.is_of_all_ && !names.levels_.empty()) {
    auto& first = names.levels_.front();
    for (std::size_t level = 1; level < names.levels_.size(); ++level)
      first.insert(first.end(), names.levels_[level].begin(), names.levels_[level].end());
    names.levels_.resize(1);
  }
  for (auto& level : names.levels_)
    std::ranges::sort(level, is_before_folded);
  return names;
}

std::optional<std::string> ArgumentNames::misspelt_in(JsonValue value, std::size_t level) const {
  const auto place = is_of_all_ ? 0 : level;
  if (place >= levels_.size()) return std::nullopt;
  for (const auto [name, member] : value.members()) {
    if (is_misspelt(levels_[place], name)) return std::string(name);
    if (auto deeper = misspelt_in(member, level + 1)) return deeper;
  }
  for (const auto element : value.elements()) {
    if (auto deeper = misspelt_in(element, level + 1)) return deeper;
  }
  return std::nullopt;
}

}  // namespace mcph
