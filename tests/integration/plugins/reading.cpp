// Reads resources, of its own and of others, by the way of its calls.
#include <string>

#include <mcp/plugin.hpp>

static void setup(mcp::Plugin& plugin) {
  plugin
      .resource_template("reading://{name}", "own", "Its own",
                         [](const std::string& name) { return "what " + name + " contains"; })
      .mime_type("text/plain");
  plugin.resource("asking://someone", "asking", "Asks its reader",
                  [](mcp::Context& context) { return context.elicit<std::string>("Who?").value(); });
  plugin.tool(
      "read", "Says what a resource contains.",
      [](const std::string& uri, mcp::Context& context) {
        std::string all;
        for (const auto& content : context.read_resource(uri))
          all += content.mime_type + '|' + content.text + std::to_string(content.bytes.size());
        return all;
      },
      mcp::arg("uri"));
  plugin.tool("read_and_ask", "Reads two resources and asks.", [](mcp::Context& context) {
    const auto first = context.read_resource("reading://one").front().text;
    const auto name = context.elicit<std::string>("Whose are they?").value();
    const auto second = context.read_resource("reading://two").front().text;
    return first + ", " + second + ": " + name;
  });
  plugin.prompt("sum_up", "Of a resource.", [](mcp::Context& context) {
    return mcp::user("Sum up: " + context.read_resource("reading://it").front().text);
  });
}

MCP_PLUGIN("reading", "1.0.0", setup)
