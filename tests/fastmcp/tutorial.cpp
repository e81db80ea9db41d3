// The half of docs/from-fastmcp.md in C++; tutorial.py is FastMCP's. What follows a mark is that section's.
// section: header
#include <stdexcept>
#include <string>

#include <mcp/plugin.hpp>

static void setup(mcp::Plugin& plugin) {
  // section: add
  plugin.tool(
      "add", "Adds two numbers.", [](int a, int b) { return a + b; }, mcp::arg("a"), mcp::arg("b"));

  // section: error
  plugin.tool(
      "divide", "Divides one number by another.",
      [](double a, double b) {
        if (b == 0) throw std::domain_error("Nothing can be divided by zero.");
        return a / b;
      },
      mcp::arg("a"), mcp::arg("b"));

  // section: template
  plugin.resource_template("users://{name}", "user", "One user.",
                           [](const std::string& name) { return name + " is a user."; });
  // section: header
}

MCP_PLUGIN("tutorial", "1.0.0", setup)
