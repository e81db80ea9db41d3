#include "server/setup.hpp"

#include <string>
#include <string_view>

#include <mcp/plugin/typed.hpp>
#include <mcp/server_info.h>

namespace plugins::server {
namespace {

constexpr std::string_view not_offered = "This host does not offer the interface \"" MCP_SERVER_INFO
                                         "\", so config://server has nothing to say. "
                                         "Update mcp-plugin-host, or remove the plugin \"server\".";

void append(void* text, mcp_string piece) noexcept {
  if (piece.size > 0) static_cast<std::string*>(text)->append(piece.data, piece.size);
}

// Asked for each time it is read, because plugins come and go.
mcp::ResourceContent describe(const mcp::Plugin& plugin) {
  const auto* const info = static_cast<const mcp_server_info*>(plugin.host_interface(MCP_SERVER_INFO));
  if (!info || !MCP_HAS(info, mcp_server_info, describe)) {
    throw mcp::ProtocolError(mcp::internal_error, std::string(not_offered));
  }
  std::string json;
  const mcp_sink sink{&json, append};
  info->describe(&plugin.host(), &sink);
  return mcp::text_resource(json);
}

}  // namespace

void setup(mcp::Plugin& plugin) {
  plugin
      .resource("config://server", "server",
                "This server as JSON: version, protocol revisions of both eras, loaded plugins, limits",
                [&plugin] { return describe(plugin); })
      .title("Server configuration")
      .mime_type("application/json");
}

}  // namespace plugins::server
