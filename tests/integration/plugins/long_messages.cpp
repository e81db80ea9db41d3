// Answers and asks as long as it is told to, and takes what is as long. Its stop can be seen: it writes the file of its
// configuration.
#include <chrono>
#include <cstddef>
#include <fstream>
#include <string>
#include <thread>
#include <tuple>

#include <mcp/plugin.hpp>

namespace {

struct Name {
  std::string name;
  static constexpr auto fields() { return std::tuple{mcp::field("name", &Name::name)}; }
};

mcp::ToolResult text_of(int bytes) {
  return mcp::ToolResult().text(std::string(static_cast<std::size_t>(bytes), 'x'));
}

mcp::ToolResult text_later(int bytes, int milliseconds) {
  std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
  return text_of(bytes);
}

// How long the answer was.
std::string ask(int bytes, mcp::Context& context) {
  const auto answer = context.elicit<Name>(std::string(static_cast<std::size_t>(bytes), 'x'));
  return std::to_string(answer.value().name.size()) + " bytes";
}

void setup(mcp::Plugin& plugin) {
  const auto bytes = mcp::arg("bytes", "How many").min(0);
  plugin.tool("text", "As long a text.", text_of, bytes);
  plugin
      .tool("text_later", "As long a text, and not at once.", text_later, bytes,
            mcp::arg("milliseconds", "When").min(0))
      .task_support(mcp::TaskSupport::Optional);
  plugin.tool(
      "length", "How long a text is.", [](const std::string& text) { return std::to_string(text.size()) + " bytes"; },
      mcp::arg("text", "Any"));
  plugin.tool("ask", "Asks with as long a text.", ask, bytes);
  const auto file = plugin.config().value("file", std::string());
  plugin.on_stop([file] {
    if (!file.empty()) std::ofstream(file) << "stopped";
  });
}

}  // namespace

MCP_PLUGIN("long", "1.0.0", setup)
