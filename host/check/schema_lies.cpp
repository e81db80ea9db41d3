#include "check/schema_lies.hpp"

#include <array>
#include <string_view>
#include <utility>

#include "base/json.hpp"
#include "base/json_text.hpp"
#include "schema/schema.hpp"

namespace mcph {
namespace {

class SchemaReader {
 public:
  std::vector<std::string> take() { return std::move(lies_); }

  // `is_definition`: others refer to it.
  void look_at(const OrderedJson& schema, const std::string& place, bool is_definition = false) {
    if (!schema.is_object()) return;
    // They may describe what it requires.
    if (!is_definition || schema.contains("properties")) look_at_required(schema, place);
    look_at_bounds(schema, place);
    look_at_values(schema, place);
    for (const auto* const holder : {"properties", "$defs", "definitions", "patternProperties"}) {
      if (!schema.contains(holder) || !schema.at(holder).is_object()) continue;
      const bool are_definitions = std::string_view(holder) == "$defs" || std::string_view(holder) == "definitions";
      for (const auto& [name, part] : schema.at(holder).items())
        look_at(part, place + "/" + holder + "/" + name, are_definitions);
    }
    for (const auto* const holder : {"items", "additionalProperties"}) {
      if (schema.contains(holder)) look_at(schema.at(holder), place + "/" + holder);
    }
  }

 private:
  void tell(const std::string& place, const std::string& lie) {
    lies_.push_back((place.empty() ? "the schema" : place) + " " + lie);
  }

  // What is required may be described by other keywords, or not at all on purpose; of a closed object it cannot be.
  void look_at_required(const OrderedJson& schema, const std::string& place) {
    if (!schema.contains("required") || !schema.at("required").is_array()) return;
    constexpr std::array others{"$ref", "allOf", "anyOf", "oneOf", "patternProperties", "if", "$dynamicRef"};
    for (const auto* const other : others) {
      if (schema.contains(other)) return;
    }
    for (const auto* const rest : {"additionalProperties", "unevaluatedProperties"}) {
      if (schema.contains(rest) && schema.at(rest).is_object()) return;
    }
    const auto members = schema.value("properties", OrderedJson::object());
    for (const auto& name : schema.at("required")) {
      if (name.is_string() && !members.contains(name.get<std::string>()))
        tell(place,
             "requires " + dump(name) + ", which is not among its properties; describe it, or do not require it");
    }
  }

  void look_at_bounds(const OrderedJson& schema, const std::string& place) {
    constexpr std::array<std::pair<const char*, const char*>, 4> bounds{{{"minimum", "maximum"},
                                                                         {"minLength", "maxLength"},
                                                                         {"minItems", "maxItems"},
                                                                         {"minProperties", "maxProperties"}}};
    for (const auto& [least, most] : bounds) {
      if (!schema.contains(least) || !schema.contains(most)) continue;
      if (schema.at(least).is_number() && schema.at(most).is_number() && schema.at(least) > schema.at(most))
        tell(place, std::string("has a ") + least + " above its " + most + ", so that nothing fits");
    }
  }

  void look_at_values(const OrderedJson& schema, const std::string& place) {
    // A part by itself cannot follow its references.
    if (dump(schema).find("\"$ref\"") != std::string::npos) return;
    const auto compiled = Schema::compile(schema);
    if (compiled.has_error()) return;
    const auto look = [&](const char* what, const Json& value) {
      if (const auto violation = compiled->validate(value))
        tell(place, std::string("has the ") + what + " " + dump(value) +
                        ", which it does not take itself: " + violation->message);
    };
    if (schema.contains("default")) look("default", Json(schema.at("default")));
    if (!schema.contains("examples") || !schema.at("examples").is_array()) return;
    for (const auto& example : schema.at("examples"))
      look("example", Json(example));
  }

  std::vector<std::string> lies_;
};

}  // namespace

std::vector<std::string> lies_in_schema(const OrderedJson& schema) {
  SchemaReader reader;
  reader.look_at(schema, "");
  return reader.take();
}

}  // namespace mcph
