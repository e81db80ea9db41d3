// What a JSON Schema says that cannot be meant: it may be valid all the same. Free functions; any thread.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace mcph {

// Each with its place, as a JSON Pointer, and what to do.
std::vector<std::string> lies_in_schema(const nlohmann::ordered_json& schema);

}  // namespace mcph
