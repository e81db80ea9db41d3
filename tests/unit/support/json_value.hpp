// Values of documents that live as long as the tests.
#pragma once

#include <deque>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/json_document.hpp"

namespace mcph::test {

inline JsonValue json_value(std::string text) {
  static std::deque<JsonDocument> documents;
  return documents.emplace_back(JsonDocument::read_own(std::move(text)).value()).root();
}

inline JsonValue json_value(const nlohmann::json& tree) {
  return json_value(tree.dump());
}

inline JsonValue json_value(const char* text) {
  return json_value(std::string(text));
}

}  // namespace mcph::test
