#include "server/setup.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <mcp/plugin.hpp>
#include <mcp/server_info.h>

#include "server/documents.hpp"
#include "server/view.hpp"

namespace plugins::server {
namespace {

constexpr std::string_view not_offered = "This host does not offer the interface \"" MCP_SERVER_INFO
                                         "\", so config://server has nothing to say. "
                                         "Update mcp-plugin-host, or remove the plugin \"server\".";
constexpr std::string_view documents_uri = "docs://mcp-plugin-host/";
constexpr auto view_uri = "ui://server/dashboard";
constexpr std::size_t max_message = 1000;

// Of the documents these are listed; the others are found by the links in them.
constexpr std::array listed_documents{std::string_view("README.md"), std::string_view("docs/configuration.md"),
                                      std::string_view("docs/writing-plugins.md"),
                                      std::string_view("plugin-api/ABI.md")};

struct PluginStatus {
  std::string name;
  std::string version;
  std::int64_t calls = 0;
  std::int64_t errors = 0;
  std::int64_t in_flight = 0;
  static constexpr auto fields() {
    return std::tuple{mcp::field("name", &PluginStatus::name), mcp::field("version", &PluginStatus::version),
                      mcp::field("calls", &PluginStatus::calls, "Since this version was loaded"),
                      mcp::field("errors", &PluginStatus::errors, "Of these calls, that failed"),
                      mcp::field("in_flight", &PluginStatus::in_flight, "Calls that have not ended")};
  }
};

struct HostStatus {
  std::string name;
  std::string version;
  std::int64_t uptime_seconds = 0;
  std::optional<std::vector<PluginStatus>> plugins;
  static constexpr auto fields() {
    return std::tuple{mcp::field("name", &HostStatus::name), mcp::field("version", &HostStatus::version),
                      mcp::field("uptime_seconds", &HostStatus::uptime_seconds),
                      mcp::field("plugins", &HostStatus::plugins, "Not there where not everybody may see all of them")};
  }
};

void append(void* text, mcp_string piece) noexcept {
  if (piece.size > 0) static_cast<std::string*>(text)->append(piece.data, piece.size);
}

// Asked for each time, because plugins come and go. Nothing where the host does not offer it.
std::optional<std::string> info_of(const mcp::Plugin& plugin) {
  const auto* const info = static_cast<const mcp_server_info*>(plugin.host_interface(MCP_SERVER_INFO));
  if (!info || !MCP_HAS(info, mcp_server_info, describe)) return std::nullopt;
  std::string json;
  const mcp_sink sink{&json, append};
  info->describe(&plugin.host(), &sink);
  return json;
}

mcp::ResourceContent describe(const mcp::Plugin& plugin) {
  const auto json = info_of(plugin);
  if (!json) throw mcp::ProtocolError(mcp::internal_error, std::string(not_offered));
  return mcp::text_resource(*json);
}

std::string ping(const mcp::Plugin& plugin, const std::string& message) {
  const auto json = info_of(plugin);
  const auto name = json ? mcp::parse_json(*json).value("name", "") : std::string();
  return (name.empty() ? "mcp-plugin-host" : name) + ": " + message;
}

PluginStatus status_in(const mcp::Json& plugin) {
  const auto calls = plugin.value("calls", mcp::Json::object());
  const auto count = [&calls](const char* name) { return calls.value(name, std::int64_t{0}); };
  return {plugin.value("name", ""), plugin.value("version", ""), count("total"), count("errors"), count("inFlight")};
}

HostStatus status(const mcp::Plugin& plugin) {
  const auto json = info_of(plugin);
  if (!json) throw mcp::ToolError(std::string(not_offered));
  const auto info = mcp::parse_json(*json);
  HostStatus status{
      info.value("name", ""), info.value("version", ""), info.value("uptimeSeconds", std::int64_t{0}), {}};
  const auto plugins = info.value("plugins", mcp::Json::array());
  // This plugin at least would be there, if all might be told.
  if (plugins.empty()) return status;
  status.plugins.emplace();
  for (const auto& each : plugins)
    status.plugins->push_back(status_in(each));
  return status;
}

const Document* find_document(std::string_view path) {
  const auto found = std::ranges::find(documents(), path, &Document::path);
  return found == documents().end() ? nullptr : &*found;
}

// The first line, without the sign of a heading.
std::string title_of(const Document& document) {
  const auto text = document.text.substr(0, document.text.find('\n'));
  return std::string(text.substr(std::min(text.find_first_not_of("# "), text.size())));
}

std::vector<std::string> document_paths() {
  std::vector<std::string> paths;
  for (const auto& document : documents())
    paths.emplace_back(document.path);
  return paths;
}

void register_documents(mcp::Plugin& plugin) {
  for (const auto path : listed_documents) {
    const auto* const document = find_document(path);
    if (document == nullptr) continue;
    plugin
        .resource(std::string(documents_uri) + std::string(path), path, "Of the documentation of mcp-plugin-host",
                  [document] { return document->text; })
        .title(title_of(*document))
        .mime_type("text/markdown")
        .size(document->text.size());
  }
  plugin
      .resource_template(std::string(documents_uri) + "{+path}", "mcp-plugin-host",
                         "The documentation of mcp-plugin-host, by the path of a page: docs/rust.md",
                         [](const mcp::Uri& uri) {
                           const auto* const document = find_document(uri["path"]);
                           if (document == nullptr) throw mcp::NotFound(uri.text());
                           return document->text;
                         })
      .title("Documentation of mcp-plugin-host")
      .mime_type("text/markdown")
      .complete("path", [](std::string_view typed) { return mcp::values_that_begin_with(typed, document_paths()); });
}

}  // namespace

void setup(mcp::Plugin& plugin) {
  plugin
      .resource("config://server", "server",
                "This server as JSON: version, protocol revisions of both eras, loaded plugins, limits, features",
                [&plugin] { return describe(plugin); })
      .title("Server configuration")
      .mime_type("application/json");
  plugin
      .tool(
          "seed_ping", "Answers with the name of this server and the message, to see that it is reached.",
          [&plugin](const std::string& message) { return ping(plugin, message); },
          mcp::arg("message", "What to answer").max_length(max_message).default_value("pong"))
      .title("Ping")
      .read_only()
      .idempotent()
      .open_world(false);
  plugin
      .tool("host_status", "Says how this server fares: its version, its uptime, and the calls of its plugins.",
            [&plugin] { return status(plugin); })
      .title("Status of the server")
      .read_only()
      .open_world(false)
      .app(view_uri);
  plugin
      .app(view_uri, "server_dashboard", "Shows the result of host_status, and how it changes", view(),
           {.prefers_border = true})
      .title("Dashboard")
      .cache(std::chrono::hours(1), mcp::CacheScope::Public);
  register_documents(plugin);
}

}  // namespace plugins::server
