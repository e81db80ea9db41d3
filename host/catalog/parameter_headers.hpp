// Which arguments of a tool its clients repeat in HTTP headers: the `x-mcp-header` annotations of an input schema
// (2026-07-28, server/tools, "x-mcp-header"). Values and a free function; any thread.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/result.hpp"

namespace mcph {

struct ParameterHeader {
  std::string name;               // "Mcp-Param-Region"
  std::vector<std::string> path;  // of keys, from the arguments to the value
};

// All annotations of a schema that Schema::compile has accepted, in the schema's order. The error begins with the JSON
// Pointer of an annotation that is not as the revision prescribes; clients would not list such a tool.
Result<std::vector<ParameterHeader>> read_parameter_headers(const nlohmann::ordered_json& input_schema);

}  // namespace mcph
