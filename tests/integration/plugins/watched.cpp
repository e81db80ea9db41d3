// Resources that change when a tool says so.
#include <string>

#include <mcp/plugin.hpp>

namespace {

void setup(mcp::Plugin& plugin) {
  plugin.resource("watched://one", "one", "A resource.", [] { return "one"; });
  plugin.resource("watched://two", "two", "Another.", [] { return "two"; });
  plugin.resource_template("watched://items/{name}", "item", "Any number of them.",
                           [](const mcp::Uri& uri) { return uri["name"]; });
  plugin.tool(
      "touch", "Says that a resource changed.",
      [&plugin](const std::string& uri, int times) {
        for (int i = 0; i < times; ++i)
          plugin.resource_updated(uri);
      },
      mcp::arg("uri", "Which"), mcp::arg("times", "How often").min(1).default_value(1));
}

}  // namespace

MCP_PLUGIN("watched", "1.0.0", setup)
