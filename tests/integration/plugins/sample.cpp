// One plugin in several versions: what `version` answers and which other tool there is are set by the build. Its
// resource and its prompt are the same in all of them.
#include <mcp/plugin.hpp>

static void setup(mcp::Plugin& plugin) {
  plugin.tool("version", "Says which version is served.", [] { return std::string(SAMPLE_VERSION); });
  plugin.tool(SAMPLE_TOOL, "Is in some versions only.", [] { return std::string(SAMPLE_TOOL); });
  plugin.resource("sample://text", "text", "A text.", [] { return "sample"; });
  plugin.prompt_text("sample_prompt", "A prompt.", "Sample.");
}

MCP_PLUGIN("sample", SAMPLE_VERSION, setup)
