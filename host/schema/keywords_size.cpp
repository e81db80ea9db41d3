// Keywords about how much a string, an array or an object holds.
#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>

#include "base/json.hpp"
#include "schema/evaluation.hpp"
#include "schema/keywords.hpp"
#include "schema/value.hpp"

namespace mcph::schema {
namespace {

struct Measure {
  std::string_view singular;
  std::string_view plural;
  std::optional<std::size_t> (*size)(JsonValue value);  // nothing for values of other types
};

constexpr Measure characters{"character", "characters", [](JsonValue value) {
                               std::string storage;
                               return value.is_string() ? std::optional(count_code_points(value.string(storage)))
                                                        : std::nullopt;
                             }};
constexpr Measure items{"item", "items",
                        [](JsonValue value) { return value.is_array() ? std::optional(value.size()) : std::nullopt; }};
constexpr Measure properties{"property", "properties", [](JsonValue value) {
                               return value.is_object() ? std::optional(value.size()) : std::nullopt;
                             }};

// Counting the characters of a string takes a while if it is long.
std::size_t steps_to_measure(JsonValue value) {
  constexpr std::size_t bytes_a_step = 64;
  return value.is_string() ? value.text().size() / bytes_a_step : 0;
}

struct Form {
  std::string_view keyword;
  enum class Direction { at_least, at_most } direction;
  const Measure& measure;
};

constexpr Form min_length{"minLength", Form::Direction::at_least, characters};
constexpr Form max_length{"maxLength", Form::Direction::at_most, characters};
constexpr Form min_items{"minItems", Form::Direction::at_least, items};
constexpr Form max_items{"maxItems", Form::Direction::at_most, items};
constexpr Form min_properties{"minProperties", Form::Direction::at_least, properties};
constexpr Form max_properties{"maxProperties", Form::Direction::at_most, properties};

class SizeBound final : public Keyword {
 public:
  SizeBound(const Form& form, std::size_t bound) : form_(form), bound_(bound) {}

  bool check(JsonValue value, const InstancePath& at, Evaluation& run) const override {
    if (!run.spend(steps_to_measure(value), at)) return false;
    const auto size = form_.measure.size(value);
    if (!size || (at_least() ? *size >= bound_ : *size <= bound_)) return true;
    return run.violation(at, form_.keyword, [&] {
      return (at_least() ? "must have at least " : "must have at most ") + in_words() + ", but has " +
             std::to_string(*size);
    });
  }

 private:
  bool at_least() const { return form_.direction == Form::Direction::at_least; }
  std::string in_words() const {
    return std::to_string(bound_) + " " + std::string(bound_ == 1 ? form_.measure.singular : form_.measure.plural);
  }

  const Form& form_;
  std::size_t bound_;
};

template <const Form& form>
Result<KeywordPtr> compile_size_bound(const KeywordSite& site) {
  const auto bound = read_size(site);
  if (!bound) return bound.error();
  return std::make_unique<SizeBound>(form, *bound);
}

constexpr std::array size_rules{
    KeywordRule{"minLength", compile_size_bound<min_length>, Vocabulary::validation},
    KeywordRule{"maxLength", compile_size_bound<max_length>, Vocabulary::validation},
    KeywordRule{"minItems", compile_size_bound<min_items>, Vocabulary::validation},
    KeywordRule{"maxItems", compile_size_bound<max_items>, Vocabulary::validation},
    KeywordRule{"minProperties", compile_size_bound<min_properties>, Vocabulary::validation},
    KeywordRule{"maxProperties", compile_size_bound<max_properties>, Vocabulary::validation},
};

}  // namespace

Result<std::size_t> read_size(const KeywordSite& site) {
  const auto bound = number_of(site.value);
  // 3.0 is an integer too.
  if (!bound || !is_integer(*bound) || std::is_lt(compare_numbers(*bound, std::uint64_t{0})))
    return site.error("must be a non-negative integer");
  const bool beyond_any_size = std::is_gteq(compare_numbers(*bound, std::uint64_t{SIZE_MAX}));
  return beyond_any_size ? SIZE_MAX : site.value.get<std::size_t>();
}

std::span<const KeywordRule> size_keywords() {
  return size_rules;
}

}  // namespace mcph::schema
