// The two JSON types of the host. Includes the whole parser: what only passes JSON on includes json_text.hpp.
#pragma once

#include <nlohmann/json.hpp>

namespace mcph {

using Json = nlohmann::json;
// Keeps the order of keys, for what people see.
using OrderedJson = nlohmann::ordered_json;

}  // namespace mcph
