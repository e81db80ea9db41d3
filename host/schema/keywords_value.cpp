// Keywords about a value as a whole: its type, which values are allowed, and bounds of numbers.
#include <algorithm>
#include <array>
#include <bit>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/json.hpp"
#include "schema/evaluation.hpp"
#include "schema/keywords.hpp"
#include "schema/value.hpp"

namespace mcph::schema {
namespace {

class Never final : public Keyword {
 public:
  bool check(JsonValue /*value*/, const InstancePath& at, Evaluation& run) const override {
    return run.violation(at, "false", [] { return "is not allowed"; });
  }
};

// A set of types, one bit each, in the order of type_names.
using TypeSet = std::uint8_t;

struct TypeName {
  std::string_view keyword;
  std::string_view with_article;
};

enum : TypeSet { null = 1, boolean = 2, integer = 4, number = 8, string = 16, array = 32, object = 64 };

constexpr std::array type_names{TypeName{"null", "null"},          TypeName{"boolean", "true or false"},
                                TypeName{"integer", "an integer"}, TypeName{"number", "a number"},
                                TypeName{"string", "a string"},    TypeName{"array", "an array"},
                                TypeName{"object", "an object"}};

TypeSet types_of(JsonValue value) {
  using Kind = JsonValue::Kind;
  switch (value.kind()) {
    case Kind::null:
      return null;
    case Kind::boolean:
      return boolean;
    case Kind::integer:
    case Kind::unsigned_integer:
      return integer | number;
    case Kind::floating:
      return is_integer(value.number()) ? integer | number : number;
    case Kind::string:
      return string;
    case Kind::array:
      return array;
    case Kind::object:
      return object;
  }
  return 0;
}

class Type final : public Keyword {
 public:
  explicit Type(TypeSet allowed) : allowed_(allowed) {}

  bool check(JsonValue value, const InstancePath& at, Evaluation& run) const override {
    if ((types_of(value) & allowed_) != 0) return true;
    return run.violation(at, "type", [&] { return "must be " + alternatives() + ", but is " + describe(value); });
  }

 private:
  std::string alternatives() const {
    std::string text;
    for (std::size_t bit = 0; bit < type_names.size(); ++bit) {
      if ((allowed_ >> bit & 1) == 0) continue;
      if (!text.empty()) text += " or ";
      text += type_names[bit].with_article;
    }
    return text;
  }

  TypeSet allowed_;
};

std::optional<TypeSet> type_named(const OrderedJson& name) {
  for (std::size_t bit = 0; bit < type_names.size(); ++bit) {
    if (name == type_names[bit].keyword) return static_cast<TypeSet>(1U << bit);
  }
  return std::nullopt;
}

Result<KeywordPtr> compile_type(const KeywordSite& site) {
  const auto& value = site.value;
  if (value.is_array() ? value.empty() : !value.is_string()) {
    return site.error("must be the name of a type, or an array of such names");
  }
  TypeSet allowed = 0;
  for (const auto& name : value.is_array() ? value : OrderedJson::array({value})) {
    const auto type = type_named(name);
    if (!type) return site.error(short_text(name) + " is not a JSON Schema type");
    if ((allowed & *type) != 0) return site.error(short_text(name) + " stands there twice");
    allowed |= *type;
  }
  return std::make_unique<Type>(allowed);
}

// Of a comparison with another of at most `size` bytes. Neither is looked at further than the other is long, but for
// numbers, which are short.
std::size_t steps_of_comparison(JsonValue value, std::size_t size) {
  constexpr std::size_t max_escape = 6;  // of a byte
  const auto text = value.text();
  if (!value.is_structured()) return steps_to_compare(text.substr(0, max_escape * size));
  // There may be any space between its parts.
  return text.size() > max_escape * size ? size : value.values() + steps_to_compare(text);
}

class Enum final : public Keyword {
 public:
  explicit Enum(const Json& allowed) : words_(in_words(allowed)), allowed_(JsonDocument::of(allowed)) {
    for (const auto each : allowed_.root().elements()) {
      sorted_.push_back(each);
      longest_ = std::max(longest_, each.text().size());
    }
    std::sort(sorted_.begin(), sorted_.end(), is_less);
  }

  bool check(JsonValue value, const InstancePath& at, Evaluation& run) const override {
    constexpr std::size_t comparisons_a_step = 2;
    const auto comparisons = static_cast<std::size_t>(std::bit_width(sorted_.size()));
    if (!run.spend(comparisons / comparisons_a_step + comparisons * steps_of_comparison(value, longest_), at))
      return false;
    if (std::binary_search(sorted_.begin(), sorted_.end(), value, is_less)) return true;
    return run.violation(at, "enum", [&] { return "must be " + words_ + ", but is " + describe(value); });
  }

 private:
  static bool is_less(JsonValue left, JsonValue right) { return std::is_lt(compare_values(left, right)); }

  static std::string in_words(const Json& allowed) {
    constexpr std::size_t most = 20;
    std::string text = allowed.size() == 1 ? "" : "one of ";
    for (std::size_t index = 0; index < std::min(allowed.size(), most); ++index) {
      if (index > 0) text += ", ";
      text += short_text(allowed[index]);
    }
    if (allowed.size() > most) text += " and " + std::to_string(allowed.size() - most) + " more";
    return text;
  }

  std::string words_;  // in the order of the schema
  JsonDocument allowed_;
  std::vector<JsonValue> sorted_;
  std::size_t longest_ = 0;  // of their texts
};

Result<KeywordPtr> compile_enum(const KeywordSite& site) {
  if (!site.value.is_array()) return site.error("must be an array of the allowed values");
  if (site.value.empty()) return make_never();
  return std::make_unique<Enum>(Json(site.value));
}

class Const final : public Keyword {
 public:
  explicit Const(const Json& expected) : words_(short_text(expected)), expected_(JsonDocument::of(expected)) {}

  bool check(JsonValue value, const InstancePath& at, Evaluation& run) const override {
    if (!run.spend(steps_of_comparison(value, expected_.root().text().size()), at)) return false;
    if (std::is_eq(compare_values(value, expected_.root()))) return true;
    return run.violation(at, "const", [&] { return "must be " + words_ + ", but is " + describe(value); });
  }

 private:
  std::string words_;
  JsonDocument expected_;
};

Result<KeywordPtr> compile_const(const KeywordSite& site) {
  return std::make_unique<Const>(Json(site.value));
}

struct BoundForm {
  std::string_view keyword;
  std::string_view words;
  bool (*accepts)(std::weak_ordering value_to_bound);
};

constexpr BoundForm minimum_form{"minimum", "at least ", [](std::weak_ordering o) { return std::is_gteq(o); }};
constexpr BoundForm maximum_form{"maximum", "at most ", [](std::weak_ordering o) { return std::is_lteq(o); }};
constexpr BoundForm exclusive_minimum_form{"exclusiveMinimum", "more than ",
                                           [](std::weak_ordering o) { return std::is_gt(o); }};
constexpr BoundForm exclusive_maximum_form{"exclusiveMaximum", "less than ",
                                           [](std::weak_ordering o) { return std::is_lt(o); }};

class Bound final : public Keyword {
 public:
  Bound(const BoundForm& form, Number bound) : form_(form), bound_(bound) {}

  bool check(JsonValue value, const InstancePath& at, Evaluation& run) const override {
    if (!value.is_number() || form_.accepts(compare_numbers(value.number(), bound_))) return true;
    return run.violation(at, form_.keyword, [&] {
      return "must be " + std::string(form_.words) + text_of(bound_) + ", but is " + text_of(value.number());
    });
  }

 private:
  const BoundForm& form_;
  Number bound_;
};

template <const BoundForm& form>
Result<KeywordPtr> compile_bound(const KeywordSite& site) {
  const auto bound = number_of(site.value);
  if (!bound) return site.error("must be a number");
  return std::make_unique<Bound>(form, *bound);
}

class MultipleOf final : public Keyword {
 public:
  explicit MultipleOf(Number divisor) : divisor_(divisor) {}

  bool check(JsonValue value, const InstancePath& at, Evaluation& run) const override {
    if (!value.is_number()) return true;
    // Both are made decimals first.
    constexpr std::size_t steps_to_divide = 4;
    if (!run.spend(steps_to_divide, at)) return false;
    if (is_multiple_of(value.number(), divisor_)) return true;
    return run.violation(at, "multipleOf", [&] {
      return "must be a multiple of " + text_of(divisor_) + ", but is " + text_of(value.number());
    });
  }

 private:
  Number divisor_;
};

Result<KeywordPtr> compile_multiple_of(const KeywordSite& site) {
  const auto divisor = number_of(site.value);
  if (!divisor || std::is_lteq(compare_numbers(*divisor, std::uint64_t{0})))
    return site.error("must be a number above 0");
  return std::make_unique<MultipleOf>(*divisor);
}

constexpr std::array value_rules{
    KeywordRule{"type", compile_type, Vocabulary::validation},
    KeywordRule{"enum", compile_enum, Vocabulary::validation},
    KeywordRule{"const", compile_const, Vocabulary::validation},
    KeywordRule{"minimum", compile_bound<minimum_form>, Vocabulary::validation},
    KeywordRule{"maximum", compile_bound<maximum_form>, Vocabulary::validation},
    KeywordRule{"exclusiveMinimum", compile_bound<exclusive_minimum_form>, Vocabulary::validation},
    KeywordRule{"exclusiveMaximum", compile_bound<exclusive_maximum_form>, Vocabulary::validation},
    KeywordRule{"multipleOf", compile_multiple_of, Vocabulary::validation},
};

}  // namespace

std::span<const KeywordRule> value_keywords() {
  return value_rules;
}

KeywordPtr make_never() {
  return std::make_unique<Never>();
}

}  // namespace mcph::schema
