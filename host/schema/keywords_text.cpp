// Keywords about what a string looks like.
#include <array>
#include <string>
#include <utility>

#include "base/json.hpp"
#include "schema/evaluation.hpp"
#include "schema/keywords.hpp"
#include "schema/pattern.hpp"
#include "schema/value.hpp"

namespace mcph::schema {
namespace {

class PatternKeyword final : public Keyword {
 public:
  PatternKeyword(Pattern pattern, std::string text) : pattern_(std::move(pattern)), text_(std::move(text)) {}

  bool check(JsonValue value, const InstancePath& at, Evaluation& run) const override {
    std::string storage;
    if (!value.is_string() || run.matches(pattern_, value.string(storage), at)) return true;
    return run.violation(at, "pattern", [&] { return "must match " + text_ + ", but is " + describe(value); });
  }

 private:
  Pattern pattern_;
  std::string text_;  // for messages
};

Result<KeywordPtr> compile_pattern(const KeywordSite& site) {
  if (!site.value.is_string()) return site.error("must be a string");
  const auto& text = site.value.get_ref<const std::string&>();
  auto pattern = site.compile_pattern(text);
  if (!pattern) return pattern.error();
  return std::make_unique<PatternKeyword>(*std::move(pattern), in_quotes(text));
}

constexpr std::array text_rules{
    KeywordRule{"pattern", compile_pattern, Vocabulary::validation},
};

}  // namespace

std::span<const KeywordRule> text_keywords() {
  return text_rules;
}

}  // namespace mcph::schema
