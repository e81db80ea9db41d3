// What {+path} of file:///{+path} can be, while it is typed. A function without state; any thread.
#pragma once

#include <string>
#include <string_view>

#include <mcp/plugin/typed.hpp>

#include "files/roots.hpp"

namespace plugins::files {

// Entries of the folder that `typed` leads to so far, folders with a "/" at their end; above the roots, the roots. What
// cannot be listed offers nothing.
mcp::Completion complete_path(const Roots& roots, std::string_view typed);

}  // namespace plugins::files
