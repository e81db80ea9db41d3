// What can be completed without a word of the author.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <mcp/plugin/arg.hpp>

namespace mcp::detail {

/// What Arg::one_of allows, empty if it was not said.
std::vector<std::string> choices_of(const Arg& argument);

}  // namespace mcp::detail
