// Calls without the host's rules: what the plugin itself says to what a host would not let through.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include <mcp/plugin/testing.hpp>

inline mcp::testing::Outcome unchecked_call(mcp::testing::Harness& harness, std::string_view tool,
                                            const mcp::Json& arguments = mcp::Json::object()) {
  return harness.invoke("tools/call", {{"name", tool}, {"arguments", arguments}});
}

inline mcp::testing::Outcome unchecked_prompt(mcp::testing::Harness& harness, std::string_view prompt,
                                              const std::map<std::string, std::string>& arguments = {}) {
  return harness.invoke("prompts/get", {{"name", prompt}, {"arguments", arguments}});
}
