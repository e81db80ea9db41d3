// What a plugin adds to the capabilities of the server, as it describes it: mcp/capabilities.h. Values and free
// functions; any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"
#include "base/result.hpp"

namespace mcph {

struct Capability {
  std::string name;
  std::string json;  // its settings, an object
};

struct AddedCapabilities {
  std::vector<Capability> extensions = {};
  std::vector<Capability> experimental = {};
};

// Of the member "capabilities" of a description. The error names what is wrong.
Result<AddedCapabilities> read_capabilities(const OrderedJson& capabilities);
Result<AddedCapabilities> read_capabilities(std::string_view json);

}  // namespace mcph
