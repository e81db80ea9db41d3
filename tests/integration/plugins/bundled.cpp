// A plugin in a bundle: its tool tells what its private libraries and its file of data say.
#include <fstream>
#include <iterator>
#include <string>

#include <mcp/plugin.hpp>

extern "C" int bundled_version();
extern "C" int bundled_calls();

static std::string words(const std::string& folder) {
  std::ifstream file(folder + "/plugins/bundled/words.txt");
  std::string line;
  std::getline(file, line);
  return line;
}

static void setup(mcp::Plugin& plugin) {
  plugin.tool(BUNDLED_NAME, "Tells what lies in the bundle.", [&plugin] {
    return "libraries " + std::to_string(bundled_version()) + ", call " + std::to_string(bundled_calls()) + ", " +
           words(plugin.bundle_directory());
  });
}

MCP_PLUGIN(BUNDLED_NAME, "1.0.0", setup)
