// What an argument is as a text, where no JSON can stand. A plain function.
#pragma once

#include <string>

#include <mcp/plugin.hpp>

namespace plugins::http {

// Of a text, a number or a bool. Throws mcp::ToolError for anything else.
inline std::string argument_text(const std::string& name, const mcp::Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number() || value.is_boolean()) return mcp::dump_json(value);
  throw mcp::ToolError("The argument \"" + name + "\" must be a text, a number, true or false.");
}

}  // namespace plugins::http
