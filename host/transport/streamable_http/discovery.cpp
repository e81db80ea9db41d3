#include "transport/streamable_http/discovery.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/ascii.hpp"
#include "base/ip_address.hpp"
#include "base/json.hpp"
#include "base/json_text.hpp"
#include "base/utf8.hpp"
#include "http/connection.hpp"
#include "http/rules.hpp"
#include "protocol/revisions.hpp"

namespace mcph {
namespace {

constexpr std::string_view card_type = "application/mcp-server-card+json";
constexpr std::string_view catalog_type = "application/ai-catalog+json";

// The publisher's domain from the back, as names of servers have it: "com.example.mcp". An address has no domain.
std::string namespace_of(std::string host) {
  if (is_loopback_host(host)) return "localhost";
  std::ranges::replace_if(
      host, [](char c) { return !is_alphanumeric(c) && c != '.' && c != '-'; }, '-');
  if (IpAddress::read(host)) return host;
  std::string name;
  for (auto dot = host.rfind('.'); dot != std::string::npos; dot = host.rfind('.')) {
    name.append(host.substr(dot + 1)).append(".");
    host.erase(dot);
  }
  name.append(host);
  return name;
}

// A segment of a name of a server and of an identifier.
std::string segment_of(std::string name) {
  std::ranges::replace_if(
      name, [](char c) { return !is_alphanumeric(c) && c != '.' && c != '-' && c != '_'; }, '-');
  return name;
}

// Bounds of the card's schema, in characters; a text of as many bytes has no more.
std::string_view within(std::string_view text, std::size_t most) {
  return utf8_prefix(text, most);
}

OrderedJson card_of(const DiscoverableServer& server, const std::string& origin) {
  constexpr std::size_t most = 100;
  const auto& identity = server.identity;
  const auto full = identity.full();
  OrderedJson card = {
      {"$schema", "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json"},
      {"name", namespace_of(std::string(host_of_origin(origin))) + "/" + segment_of(identity.name)},
      {"version", identity.version},
      {"description", within(identity.description.empty() ? identity.title : identity.description, most)},
      {"title", within(identity.title, most)}};
  for (const auto* const member : {"websiteUrl", "icons"}) {
    if (full.contains(member)) card[member] = full[member];
  }
  card["remotes"] = OrderedJson::array({{{"type", "streamable-http"},
                                         {"url", origin + server.path},
                                         {"supportedProtocolVersions", supported_revisions()}}});
  return card;
}

OrderedJson catalog_of(const std::vector<DiscoverableServer>& servers, const std::string& origin) {
  auto entries = OrderedJson::array();
  const std::string host(host_of_origin(origin));
  for (const auto& server : servers) {
    entries.push_back({{"identifier", "urn:air:" + host + ":mcp:" + segment_of(server.identity.name)},
                       {"displayName", server.identity.title},
                       {"type", card_type},
                       {"url", origin + server.path + "/server-card"}});
  }
  return {{"specVersion", "1.0"}, {"entries", std::move(entries)}};
}

OrderedJson summary_of(const DiscoverableServer& server, const std::string& origin, bool asks_for_tokens) {
  const auto& identity = server.identity;
  return {{"protocolVersion", ModernEra::revision},
          {"server",
           {{"name", identity.name},
            {"version", identity.version},
            {"url", origin + server.path},
            {"transport", "streamable-http"}}},
          {"auth", {{"type", asks_for_tokens ? "bearer" : "none"}}}};
}

using Document = std::function<OrderedJson(const std::string& origin)>;

HttpResource document_at(std::string path, std::string_view type, const Origin& origin, Document content) {
  const HttpHandler get = [type, origin, content = std::move(content)](HttpRequest&, HttpConnection& connection) {
    const auto here = origin();
    if (here.empty()) {
      return connection.respond(
          {.status = 404, .body = "It is not configured where this server is\n", .content_type = "text/plain"});
    }
    return connection.respond(
        {.body = dump(content(here)), .content_type = type, .fields = {{"Cache-Control", "public, max-age=3600"}}});
  };
  auto resource = document(std::move(path), get);
  resource.is_public = true;
  return resource;
}

}  // namespace

std::vector<HttpResource> discovery_resources(const std::vector<DiscoverableServer>& servers, const Origin& origin,
                                              const std::function<bool()>& asks_for_tokens) {
  std::vector<HttpResource> resources;
  resources.reserve(servers.size() + 2);
  for (const auto& server : servers) {
    resources.push_back(document_at(server.path + "/server-card", card_type, origin,
                                    [server](const std::string& here) { return card_of(server, here); }));
  }
  resources.push_back(document_at("/.well-known/ai-catalog.json", catalog_type, origin,
                                  [servers](const std::string& here) { return catalog_of(servers, here); }));
  resources.push_back(document_at("/.well-known/mcp.json", "application/json", origin,
                                  [server = servers.front(), asks_for_tokens](const std::string& here) {
                                    return summary_of(server, here, asks_for_tokens());
                                  }));
  return resources;
}

}  // namespace mcph
