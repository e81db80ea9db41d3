// Tells everything that the host has told it of a call but its argument, and prints that, too. The argument it keeps.
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <string>

#include <mcp/plugin.hpp>

namespace {

// Of this process, with a line for each part.
std::string file_of_process(const std::string& name) {
  std::ifstream file("/proc/self/" + name, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  for (auto& each : text)
    each = each == '\0' ? '\n' : each;
  return text;
}

std::string tell(const mcp::Json& config, mcp::Context& context) {
  const auto caller = context.caller();
  const auto trace = context.trace().value_or(mcp::TraceContext{});
  const mcp::Json all = {
      {"caller", {caller.id, caller.subject, caller.name, caller.email, caller.groups, caller.roles, caller.scopes}},
      {"trace", {trace.traceparent, trace.tracestate, trace.baggage}},
      {"request", context.request_context()},
      {"configuration", config},
      {"environment", file_of_process("environ")},
      {"command line", file_of_process("cmdline")}};
  const auto said = mcp::dump_json(all);
  std::cout << said << std::endl;
  context.info(said);
  return said;
}

void setup(mcp::Plugin& plugin) {
  const auto kept = std::make_shared<std::string>();
  for (const auto* name : {"tell", "tell_in_full", "tell_nobody"})
    plugin.tool(
        name, "Tells all that it knows of a call.",
        [kept, config = plugin.config()](const std::string& text, mcp::Context& context) {
          *kept = text;
          return tell(config, context);
        },
        mcp::arg("text", "Some text"));
}

}  // namespace

MCP_PLUGIN("telling", "1.0.0", setup)
