// What MCP knows of the head of an HTTP request. Values.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "base/principal.hpp"
#include "http/request.hpp"
#include "protocol/request_context.hpp"

namespace mcph {

// The header fields of an HTTP request, for those that few requests have. Lives as long as the request.
class HeaderFields {
 public:
  // The value of each line of the field, whatever the case of its name. Views into the request.
  virtual std::vector<std::string_view> values(std::string_view name) const = 0;

 protected:
  ~HeaderFields() = default;
};

// All fields of a request.
class RequestHeaderFields final : public HeaderFields {
 public:
  // The fields outlive it.
  explicit RequestHeaderFields(const RequestFields& fields) : fields_(fields) {}
  std::vector<std::string_view> values(std::string_view name) const override { return lines_of(fields_, name); }

 private:
  const RequestFields& fields_;
};

// The headers of an HTTP request that MCP knows, as views into the request; and who has sent it.
struct HttpHead {
  std::optional<std::string_view> protocol_version = {};  // MCP-Protocol-Version
  std::optional<std::string_view> method = {};            // Mcp-Method
  std::optional<std::string_view> name = {};              // Mcp-Name
  std::optional<std::string_view> session_id = {};        // Mcp-Session-Id
  std::optional<std::string_view> last_event_id = {};     // Last-Event-ID
  const HeaderFields* others = nullptr;                   // null: there are none
  Principal principal = anonymous;
  const SenderLimits* limits = nullptr;  // of the principal and where the request comes from; null: there are none

  RequestContext context() const { return {.principal = principal, .limits = limits}; }
};

// Reads the headers, and what the client wants to see by them. A refusal: one of them is there twice, and others could
// read the other one, or has no value of its own.
HttpChecked read_head(const HttpRequest& request, HttpHead& head);

}  // namespace mcph
