// The sources of what is written in Python, which the build puts into the library.
#pragma once

#include <string_view>
#include <vector>

namespace plugins::python {

struct Source {
  const char* module;
  std::string_view text;
};

// What makes the package importable; it finds the modules in the variable `sources`.
std::string_view embedded_source();
// The modules of mcp_plugin.
std::vector<Source> package_sources();

}  // namespace plugins::python
