// Schemas and instances as text, and what is said of them: for tests.
#pragma once

#include <initializer_list>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "schema/schema.hpp"

namespace mcph::test {

inline Schema compiled(std::string_view schema, const SchemaOptions& options = {}) {
  auto result = Schema::compile(nlohmann::ordered_json::parse(schema), options);
  if (!result) throw std::invalid_argument(result.error().message);
  return *std::move(result);
}

inline std::string compile_error(std::string_view schema) {
  const auto result = Schema::compile(nlohmann::ordered_json::parse(schema));
  return result ? "accepted" : result.error().message;
}

inline std::optional<Violation> check(std::string_view schema, std::string_view instance) {
  const auto document = JsonDocument::read(instance, instance.size()).value();
  return compiled(schema).validate(document.root());
}

// `path [keyword] message`, or `valid`.
inline std::string verdict(std::string_view schema, std::string_view instance) {
  const auto violation = check(schema, instance);
  return violation ? violation->path + " [" + violation->keyword + "] " + violation->message : "valid";
}

inline std::string with_defaults(std::string_view schema, std::string_view instance) {
  auto value = nlohmann::json::parse(instance);
  const auto violation = compiled(schema).apply_defaults(value);
  return violation ? violation->message : value.dump();
}

inline void expect_valid(std::string_view schema, std::initializer_list<std::string_view> instances) {
  for (const auto instance : instances) {
    EXPECT_EQ(verdict(schema, instance), "valid") << schema << " " << instance;
  }
}

inline void expect_invalid(std::string_view schema, std::initializer_list<std::string_view> instances) {
  for (const auto instance : instances) {
    EXPECT_NE(verdict(schema, instance), "valid") << schema << " " << instance;
  }
}

}  // namespace mcph::test
