// What MCP knows of the head of an HTTP request. Values.
#pragma once

#include <optional>
#include <string_view>

#include "base/principal.hpp"
#include "http/fields.hpp"
#include "http/request.hpp"
#include "protocol/request_context.hpp"

namespace mcph {

// The headers of an HTTP request that MCP knows, as views into the request; and who has sent it.
struct HttpHead {
  std::optional<std::string_view> protocol_version = {};  // MCP-Protocol-Version
  std::optional<std::string_view> method = {};            // Mcp-Method
  std::optional<std::string_view> name = {};              // Mcp-Name
  std::optional<std::string_view> session_id = {};        // Mcp-Session-Id
  std::optional<std::string_view> last_event_id = {};     // Last-Event-ID
  const RequestFields* others = nullptr;                  // for those that few requests have; null: there are none
  Principal principal = anonymous;
  const SenderLimits* limits = nullptr;  // of the principal and where the request comes from; null: there are none

  RequestContext context() const { return {.principal = principal, .limits = limits}; }
};

// Reads the headers, and what the client wants to see by them. A refusal: one of them is there twice, and others could
// read the other one, or has no value of its own.
HttpChecked read_head(const HttpRequest& request, HttpHead& head);

}  // namespace mcph
