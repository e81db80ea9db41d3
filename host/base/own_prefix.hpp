// Where this program is installed. Free functions; any thread.
#pragma once

#include <filesystem>
#include <string_view>

namespace mcph {

// The program is PREFIX/bin/mcp-plugin-host, installed and in its build tree alike. The plugin API and the templates
// are in PREFIX, too.
std::filesystem::path own_prefix();

// A program that nobody but this one starts, and that therefore lies where no shell looks for it.
std::filesystem::path own_helper(std::string_view name);

}  // namespace mcph
