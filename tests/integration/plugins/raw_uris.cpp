// Resources whose URIs have what RFC 3986 forbids.
#include <string>

#include <mcp/plugin.hpp>

namespace {

constexpr auto about = "raw://über uns";

void setup(mcp::Plugin& plugin) {
  plugin.resource(about, "about", "A resource.", [] { return "about us"; });
  plugin
      .resource_template("raw://größe <{name}>", "size", "Any number of them.",
                         [](const mcp::Uri& uri) { return uri["name"]; })
      .complete("name", {"groß", "klein"});
  plugin.tool("touch", "Says that the resource changed.", [&plugin] { plugin.resource_updated(about); });
  plugin.tool("link", "Links to it, and has it.", [] {
    return mcp::ToolResult()
        .content(mcp::resource_link(about, "about"))
        .content(mcp::embedded(about, "text/plain", "about us"));
  });
}

}  // namespace

MCP_PLUGIN("raw_uris", "1.0.0", setup)
