// A JSON Schema (2020-12 or draft-07), compiled once and then used to check instances. Immutable after compile: any
// number of threads may use one Schema at once. A value of pointer size; copies share what was compiled.
//
// All of both dialects is checked, except that `format` and the keywords of `content` are annotations, of which only
// the form is. Patterns are ECMA-262's, see ecma_pattern.hpp. References lead to any part of the schema, by JSON
// Pointer, $anchor or $id, to the metaschemas of both dialects, and to the documents that the caller gives. Numbers are
// compared by exact value: 1 equals 1.0, and 9007199254740993 does not equal 9007199254740992.0; whole ones beyond 64
// bits are read as floating-point numbers. Other keywords are ignored, with what is in them, unless a $ref leads there.
//
// Limits, so that neither a hostile schema nor a hostile instance overflows the stack or runs for long; reaching one is
// a violation, or an error of compile, that says so.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <nlohmann/json_fwd.hpp>

#include "base/json_document.hpp"
#include "base/result.hpp"

namespace mcph {

namespace schema {
struct Program;
}

// Why an instance is not what a schema asks for.
struct Violation {
  std::string path;           // of the value in question: a JSON Pointer, empty for the whole instance
  std::string keyword;        // the schema's keyword that failed: "maximum"
  std::string message;        // for people and models: `"limit" must be at most 100, but is 250`
  bool is_undecided = false;  // the check has ended at one of its limits: whether the value fits is not known
};

// A schema that others may refer to by its URI; it outlives the call of compile only.
struct SchemaDocument {
  std::string_view uri;  // without a fragment
  const nlohmann::ordered_json& json;
};

struct SchemaOptions {
  std::span<const SchemaDocument> documents = {};
  // What the patterns of several schemas may take together, of which compile takes what it needs; null: this one's may
  // take max_pattern_bytes.
  std::size_t* pattern_bytes = nullptr;
};

class Schema {
 public:
  // Levels of arrays and objects in the schema's own text.
  static constexpr std::size_t max_nesting = 128;
  // Subschemas inside one another while checking. An instance as deep as parse_json reads takes up to four a level: the
  // value, a $ref, and an anyOf on the way to the next.
  static constexpr std::size_t max_depth = 256;
  // Steps of one check, finding the reason included: a subschema applied to a value is one, and so is a member looked
  // up, and each step of matching a pattern; what takes longer counts for several. The largest array that a request
  // holds has half as many elements.
  static constexpr std::size_t max_steps = 4'000'000;
  // Of all compiled patterns.
  static constexpr std::size_t max_pattern_bytes = std::size_t{16} << 20;
  // Bytes of JSON text that defaults may add to one instance: a few bytes of an array of empty objects may otherwise
  // become thousands of times as many.
  static constexpr std::size_t max_defaults_size = std::size_t{4} << 20;

  // The error begins with the JSON Pointer of the keyword that is wrong. Refused: what the dialect does not allow, a
  // `$schema` that is neither 2020-12 nor draft-07, a `$ref` to what is not there (nothing is ever fetched), a pattern
  // that is no usable expression.
  static Result<Schema> compile(const nlohmann::ordered_json& schema, const SchemaOptions& options = {});

  // The first violation, if there is one.
  std::optional<Violation> validate(JsonValue instance) const;
  std::optional<Violation> validate(const nlohmann::json& instance) const;

  // For a valid instance: adds each absent property whose schema has a `default`, in objects at any depth that are
  // present. What was added is not completed further. Applies through properties, additionalProperties, items,
  // prefixItems, allOf and $ref; not through anyOf, oneOf, if, not, patterns and what several answer to a $dynamicRef,
  // where the instance decides what applies. A violation if that would be more than max_defaults_size: the instance has
  // then been completed in part only.
  [[nodiscard]] std::optional<Violation> apply_defaults(nlohmann::json& instance) const;
  // Whether that could add anything to some instance.
  bool has_defaults() const;

 private:
  explicit Schema(std::shared_ptr<const schema::Program> program) : program_(std::move(program)) {}

  std::shared_ptr<const schema::Program> program_;
};

}  // namespace mcph
