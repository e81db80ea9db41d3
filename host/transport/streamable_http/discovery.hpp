// How programs find the servers of a host, before they speak to one: a server card beside each endpoint, a catalog of
// them (AI Catalog; MCP Server Cards, docs/discovery.md), and the one document that some clients ask for. What is said
// is public: no components, nothing of who may use what. Free functions; any thread.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "http/router.hpp"
#include "protocol/server_identity.hpp"

namespace mcph {

struct DiscoverableServer {
  ServerIdentity identity;
  std::string path;  // of its endpoint: "/mcp"
};

// At which clients reach the host: "https://mcp.example.com"; empty: it is not known, and nothing is found.
using Origin = std::function<std::string()>;

// What is served to everybody. The first server is that of the host as a whole. `asks_for_tokens`: clients must have
// one.
std::vector<HttpResource> discovery_resources(const std::vector<DiscoverableServer>& servers, const Origin& origin,
                                              const std::function<bool()>& asks_for_tokens);

}  // namespace mcph
