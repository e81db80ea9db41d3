// Tools with mistakes that the C++ API covers up, and tells of in the log.
#include <string>

#include <mcp/plugin.hpp>

namespace {

void setup(mcp::Plugin& plugin) {
  plugin.tool("answer_bytes", "Answers with bytes that are not UTF-8.", [] { return std::string("a\xFF"); });
  plugin.tool("throw_number", "Throws an int.", []() -> std::string { throw 42; });
}

}  // namespace

MCP_PLUGIN("careless", "1.0.0", setup)
