// One check of one instance against a program: walks the nodes, keeps the limits, and remembers the violation. Lives on
// the stack of one Schema::validate.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "catalog/schema.hpp"
#include "catalog/schema_program.hpp"

namespace mcph::schema {

// Where in the instance a value is: a chain from the value up to the root, whose links live on the stack of the check.
struct InstancePath {
  const InstancePath* parent = nullptr;  // null for the root
  const std::string* key = nullptr;      // in an object; null in an array
  std::size_t index = 0;                 // in an array
};

// The value's name in a message: `"filter.tags[3]"`, or `the value` for the root.
std::string name_of(const InstancePath& at);

class Evaluation {
 public:
  // `decide` only finds out whether the instance is valid, and builds no text.
  enum class Mode { decide, explain };

  Evaluation(const Program& program, Mode mode) : program_(program), mode_(mode) {}

  bool check_instance(const nlohmann::json& instance);

  // For keywords, from here on.

  bool check(NodeIndex node, const nlohmann::json& value, const InstancePath& at);
  bool check_reference(std::size_t slot, const nlohmann::json& value, const InstancePath& at);

  // Checks a subschema that need not hold: why it does not goes to `reasons`, and only when explaining.
  bool check_alternative(NodeIndex node, const nlohmann::json& value, const InstancePath& at,
                         std::vector<std::string>& reasons);

  // Whether a value that fits the subschema as far as it is checked does fit it.
  bool is_fully_checked(NodeIndex node) const { return !program_.nodes[node].has_unchecked; }

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

  std::optional<Violation> take_violation() { return std::move(violation_); }

 private:
  void report(const InstancePath& at, std::string_view keyword, std::string message);
  void stop(const InstancePath& at, std::string_view keyword, std::string_view reason);

  const Program& program_;
  Mode mode_;
  std::size_t depth_ = 0;
  std::size_t steps_ = 0;
  std::optional<Violation> violation_;
  std::optional<Violation> limit_;
};

}  // namespace mcph::schema
