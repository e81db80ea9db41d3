// What a handler throws. Any std::exception of a tool becomes a result that the model can read (isError: true), unless
// the operator has the host mask what was not meant for the model; the types here say what is meant.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include <mcp/plugin/json.hpp>

namespace mcp {

/// A failure that the model is to read about: what it did wrong, or what it can do instead. Reaches it always, also
/// where an operator has "errors": "masked".
class ToolError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A JSON-RPC error instead of a result: for what the client did wrong, not for what the model should read. Of codes
/// of your own, choose none from -32768 to -32000: some of them reach clients as another one (docs/writing-plugins.md).
class ProtocolError : public std::runtime_error {
 public:
  ProtocolError(int code, const std::string& message) : std::runtime_error(message), code_(code) {}
  ProtocolError(int code, const std::string& message, const Json& data);

  int code() const { return code_; }
  /// JSON text, empty if there is none.
  const std::string& data() const { return data_; }

 private:
  int code_;
  std::string data_;
};

/// Thrown by a resource that does not exist (any more).
class NotFound : public std::runtime_error {
 public:
  explicit NotFound(const std::string& uri) : std::runtime_error("Resource not found: " + uri), uri_(uri) {}

  const std::string& uri() const { return uri_; }

 private:
  std::string uri_;
};

/// Codes of JSON-RPC 2.0 section 5.1, and MCP's own.
inline constexpr int method_not_found = -32601;
inline constexpr int invalid_params = -32602;
inline constexpr int internal_error = -32603;
inline constexpr int resource_not_found = -32002;

}  // namespace mcp
