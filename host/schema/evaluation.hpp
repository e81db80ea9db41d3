// One check of one instance against a program: walks the nodes, keeps the limits, and remembers the violation. Lives on
// the stack of one Schema::validate.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_document.hpp"
#include "schema/pattern.hpp"
#include "schema/program.hpp"
#include "schema/schema.hpp"

namespace mcph::schema {

// Where in the instance a value is: a chain from the value up to the root, whose links live on the stack of the check.
struct InstancePath {
  const InstancePath* parent = nullptr;                // null for the root
  std::optional<std::string_view> key = std::nullopt;  // in an object; nothing in an array
  std::size_t index = 0;                               // in an array
};

// The value's name in a message: `"filter.tags[3]"`, or `the value` for the root.
std::string name_of(const InstancePath& at);

// Of work that looks at all of a text.
inline std::size_t steps_to_read(std::string_view text) {
  constexpr std::size_t bytes_a_step = 16;
  return text.size() / bytes_a_step;
}
// Of a comparison that goes along all of a text of JSON, whose escapes are read one by one.
inline std::size_t steps_to_compare(std::string_view json) {
  constexpr std::size_t bytes_a_step = 64;
  return json.size() / bytes_a_step + static_cast<std::size_t>(std::count(json.begin(), json.end(), '\\'));
}
// Of names that are looked for: of all of them.
template <class Names, class Name = std::identity>
std::size_t steps_to_find(const Names& names, Name name = {}) {
  std::size_t steps = names.size();
  for (const auto& each : names)
    steps += steps_to_read(std::invoke(name, each));
  return steps;
}

class Evaluation {
 public:
  // `decide` only finds out whether the instance is valid, and builds no text.
  enum class Mode { decide, explain };

  // `steps` have been taken already, of those that a check may take.
  Evaluation(const Program& program, Mode mode, std::size_t steps = 0)
      : program_(program), mode_(mode), steps_(steps) {}

  bool check_instance(JsonValue instance);

  // For keywords, from here on.

  // A subschema of the same value.
  bool check(NodeIndex node, JsonValue value, const InstancePath& at);
  bool check_reference(std::size_t slot, JsonValue value, const InstancePath& at);

  // A subschema of an element or a member, which thereby has been looked at.
  bool check_child(NodeIndex node, JsonValue child, const InstancePath& at);

  // Checks a subschema that need not hold. Why it does not is not said: often another one holds.
  bool check_alternative(NodeIndex node, JsonValue value, const InstancePath& at);

  // The same for another value than the one that is being checked, which it says nothing about.
  bool check_alternative_apart(NodeIndex node, JsonValue other, const InstancePath& at);

  // For messages: why such a subschema does not hold, in short. Checks it once more.
  std::string reason_against(NodeIndex node, JsonValue value, const InstancePath& at);

  // unevaluatedItems and unevaluatedProperties concern the children that no other keyword has looked at. While one of
  // them waits for that, a keyword must apply all subschemas that might look at something.
  bool notes_children() const { return looked_at_ != nullptr; }
  void note_child(JsonValue child) {
    if (looked_at_ != nullptr) looked_at_->push_back(child);
  }
  // In the order in which they begin, each once.
  std::vector<JsonValue> children_looked_at() const;

  // Whether the pattern matches anywhere in the text; false also where a limit ended the search.
  bool matches(const Pattern& pattern, std::string_view text, const InstancePath& at);

  // Both return false, for the keyword to return. `message()` is called only if somebody is going to read it.
  // `must_be` says what is wrong with the value at `at`: `must be at most 100, but is 250`.
  template <class MustBe>
  bool violation(const InstancePath& at, std::string_view keyword, MustBe must_be) {
    return violation_in_words(at, keyword, [&] { return name_of(at) + " " + must_be(); });
  }
  template <class Message>
  bool violation_in_words(const InstancePath& at, std::string_view keyword, Message message) {
    if (mode_ == Mode::explain) report(at, keyword, message());
    return false;
  }

  // Accounts for work that grows with the schema or the instance. False if there has been too much of it.
  bool spend(std::size_t steps, const InstancePath& at);

  // For a keyword that would have to recurse deeper than allowed.
  bool too_deep(const InstancePath& at);

  // The limit that ended the check, if one did. The check then says nothing about the instance.
  const std::optional<Violation>& limit() const { return limit_; }

  std::size_t steps() const { return steps_; }

  std::optional<Violation> take_violation() { return std::move(violation_); }

 private:
  using Children = std::vector<JsonValue>;

  bool check_keywords(const Node& node, JsonValue value, const InstancePath& at);
  bool check_in_context(const Node& node, JsonValue value, const InstancePath& at);
  NodeIndex find_dynamically(const ReferenceTarget& target) const;
  void report(const InstancePath& at, std::string_view keyword, std::string message);
  void stop(const InstancePath& at, std::string_view keyword, std::string_view reason);

  const Program& program_;
  Mode mode_;
  std::size_t depth_ = 0;
  std::size_t alternatives_ = 0;  // whose reasons the check looks for
  std::size_t steps_;
  std::vector<ResourceIndex> resources_;  // that the check came through, the outermost first
  Children* looked_at_ = nullptr;         // of the value being checked, while an unevaluated* keyword waits for it
  std::optional<PatternSearch> search_;
  std::optional<Violation> violation_;
  std::optional<Violation> limit_;
};

}  // namespace mcph::schema
