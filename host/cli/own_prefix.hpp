// Where this program is installed.
#pragma once

#include <filesystem>

namespace mcph {

// The program is PREFIX/bin/mcp-plugin-host, installed and in its build tree alike. The plugin API and the templates
// are in PREFIX, too.
std::filesystem::path own_prefix();

}  // namespace mcph
