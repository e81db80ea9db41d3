// Two plugins of this source export the same tool and the same prompt; RIVAL_NAME tells them apart.
#include <string>

#include <mcp/plugin.hpp>

static void setup(mcp::Plugin& plugin) {
  plugin.tool("contested", "Says who serves it.", [] { return std::string(RIVAL_NAME); });
  plugin.prompt_text("contested_prompt", "Says who serves it.", RIVAL_NAME);
  plugin.tool("only_" RIVAL_NAME, "Is of this plugin alone.", [] { return std::string(RIVAL_NAME); });
}

MCP_PLUGIN(RIVAL_NAME, "1.0.0", setup)
