// Keywords about what the presence of a property asks for.
#include <array>
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

struct Dependency {
  std::string property;
  std::vector<std::string> required;
  std::optional<NodeIndex> node;
  std::size_t steps = 1 + steps_to_read(property) + steps_to_find(required);
};

class Dependencies final : public Keyword {
 public:
  Dependencies(std::string_view keyword, std::vector<Dependency> all) : keyword_(keyword), all_(std::move(all)) {}

  bool check(JsonValue value, const InstancePath& at, Evaluation& run) const override {
    if (!value.is_object()) return true;
    for (const auto& dependency : all_) {
      if (!run.spend(dependency.steps, at)) return false;
      if (!value.contains(dependency.property)) continue;
      for (const auto& name : dependency.required) {
        if (value.contains(name)) continue;
        return run.violation_in_words(at, keyword_, [&] {
          return name_of({&at, name}) + " is required where " + in_quotes(dependency.property) +
                 " is present, but absent";
        });
      }
      if (dependency.node && !run.check(*dependency.node, value, at)) return false;
    }
    return true;
  }

 private:
  std::string_view keyword_;  // of the table of rules
  std::vector<Dependency> all_;
};

Result<Dependency> read_required(const KeywordSite& site, const std::string& property, const OrderedJson& names) {
  auto required = read_names(site, names);
  if (!required) return required.error();
  return Dependency{property, *std::move(required), std::nullopt};
}

Result<Dependency> read_schema(const KeywordSite& site, const std::string& property, const OrderedJson& schema) {
  const auto node = site.compile_member(property, schema);
  if (!node) return node.error();
  return Dependency{property, {}, *node};
}

Result<Dependency> read_either(const KeywordSite& site, const std::string& property, const OrderedJson& value) {
  return value.is_array() ? read_required(site, property, value) : read_schema(site, property, value);
}

template <auto read>
Result<KeywordPtr> compile_dependencies(const KeywordSite& site) {
  if (!site.value.is_object()) return site.error("must be an object");
  std::vector<Dependency> all;
  for (const auto& [property, value] : site.value.items()) {
    auto dependency = read(site, property, value);
    if (!dependency) return dependency.error();
    all.push_back(*std::move(dependency));
  }
  return std::make_unique<Dependencies>(site.keyword, std::move(all));
}

constexpr std::array dependency_rules{
    KeywordRule{"dependentRequired", compile_dependencies<read_required>, Vocabulary::validation, in_2020_12},
    KeywordRule{"dependentSchemas", compile_dependencies<read_schema>, Vocabulary::applicator, in_2020_12},
    // What the two were before; 2020-12 leaves it to us to go on with it.
    KeywordRule{"dependencies", compile_dependencies<read_either>, Vocabulary::applicator},
};

}  // namespace

std::span<const KeywordRule> dependency_keywords() {
  return dependency_rules;
}

}  // namespace mcph::schema
