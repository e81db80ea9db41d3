// What can be completed: the variables of a template, the choices of an argument.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <mcp/plugin/arg.hpp>

namespace mcp::detail {

/// In the order of the template; * is called "*".
std::vector<std::string> variables_of(std::string_view uri_template);

/// What Arg::one_of allows, empty if it was not said.
std::vector<std::string> choices_of(const Arg& argument);

}  // namespace mcp::detail
