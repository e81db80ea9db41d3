// ReplyReader: what a tool answers of what a server has answered. An immutable value.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <mcp/plugin.hpp>

#include "http/exchange.hpp"
#include "http/settings.hpp"

namespace plugins::http {

class SecretMask;

class ReplyReader {
 public:
  // Throws std::invalid_argument; its words begin with `place`.
  ReplyReader(const ResultSettings& settings, const std::string& place);

  // Throws mcp::ToolError: the server has answered with an error, or with something else than what was wanted. What is
  // secret of the request is in neither.
  mcp::ToolResult result(const Response& response, const Request& request) const;

 private:
  mcp::ToolResult of_pointer(const mcp::Json& value, const Response& response, const Request& request,
                             const SecretMask& mask) const;
  mcp::ToolResult of_bytes(const Response& response, const Request& request, const SecretMask& mask) const;
  mcp::ToolResult of_text(const std::string& text) const;

  ResultSettings settings_;
  std::optional<mcp::Json::json_pointer> pointer_;
};

// The server's answer is an error: "The server answered 503 Service Unavailable: ..."
std::string error_text(const Response& response, const Request& request);

}  // namespace plugins::http
