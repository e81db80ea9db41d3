// What a plugin says of itself beside its name and version: the strings of mcp_plugin of the same names, each perhaps
// empty. A value.
#pragma once

#include <string>

#include "base/result.hpp"

namespace mcph {

struct PluginAbout {
  std::string id = {};
  std::string vendor = {};
  std::string description = {};
  std::string url = {};
};

// What is wrong with it, as mcp/plugin.h bounds it.
Result<> check(const PluginAbout& about);

}  // namespace mcph
