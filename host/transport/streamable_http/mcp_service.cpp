#include "transport/streamable_http/mcp_service.hpp"

#include <string>
#include <utility>

#include "transport/streamable_http/long_body.hpp"
#include "transport/streamable_http/reply_response.hpp"
#include "transport/streamable_http/revision_field.hpp"

namespace mcph {
namespace {

constexpr HttpCors mcp_cors{
    .allowed =
        "Accept, Authorization, Content-Type, DPoP, Last-Event-ID, MCP-Protocol-Version, Mcp-Method, Mcp-Name, "
        "Mcp-Session-Id, Payment-Signature, X-MCP-Exclude-Tools, X-MCP-Readonly, X-MCP-Tools, X-MCP-Toolsets, "
        "X-Payment",
    .prefix = "Mcp-Param-",
    .exposed =
        "DPoP-Nonce, Mcp-Session-Id, MCP-Protocol-Version, RateLimit, RateLimit-Policy, Retry-After, WWW-Authenticate, "
        "X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, X-Session-Expires-At",
};

HttpResponse not_found() {
  return {.status = 404,
          .body = "Not found. The MCP endpoint is " + std::string(mcp_path) + "\n",
          .content_type = "text/plain"};
}

}  // namespace

McpService::McpService(HttpAccess access) : router_(std::move(access), not_found()) {}

void McpService::add(StreamableHttp& server) {
  servers_.push_back(&server);
  for (auto& resource : server.resources())
    router_.add(std::move(resource));
}

HttpResponse McpService::refuse(HttpRefusal refusal) const {
  return to_response(std::move(refusal));
}

MakeBodyScanner McpService::body_scanner() const {
  return &make_envelope_scanner;
}

std::string_view McpService::fields() const {
  return revision_field({});
}

HttpCors McpService::cors() const {
  return mcp_cors;
}

void McpService::attend() {
  for (auto* const server : servers_)
    server->attend();
}

void McpService::shut_down() {
  for (auto* const server : servers_)
    server->shut_down();
}

}  // namespace mcph
