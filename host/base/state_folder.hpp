// Where this program keeps what outlives it, for the user that it runs as. Free functions; any thread.
#pragma once

#include <filesystem>

namespace mcph {

// $XDG_STATE_HOME/mcp-plugin-host, or what the XDG Base Directory Specification puts in its place.
std::filesystem::path state_folder();

}  // namespace mcph
