// What both eras need to serve: who the server says it is, how it pages, which HTTP headers a request came with.
// Values.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/message.hpp"
#include "protocol/request_state.hpp"
#include "protocol/task_options.hpp"

namespace mcph {

struct ServerIdentity {
  std::string name;
  std::string title;
  std::string version;

  // An MCP Implementation object, as JSON text.
  std::string json() const { return Json{{"name", name}, {"title", title}, {"version", version}}.dump(); }
};

struct ServingOptions {
  std::size_t page_size = 100;  // items of a list in one answer, at least 1
  // How long a client may keep a list without asking again (2026-07-28, server/utilities/caching).
  std::chrono::milliseconds list_freshness{5000};
  // How long a client, or its user, may take to answer what a plugin asks.
  std::chrono::seconds answer_time{600};
  TaskOptions tasks = {};
  // Of what clients carry from round to round of a call; the same on all replicas.
  StateKey state_key = random_state_key();
};

// The header fields of an HTTP request, for those that few requests have. Lives as long as the request.
class HeaderFields {
 public:
  // The value of each line of the field, whatever the case of its name. Views into the request.
  virtual std::vector<std::string_view> values(std::string_view name) const = 0;

 protected:
  ~HeaderFields() = default;
};

// The headers of an HTTP request that the protocol knows. Views into the request.
struct HttpHead {
  std::optional<std::string_view> protocol_version;  // MCP-Protocol-Version
  std::optional<std::string_view> method;            // Mcp-Method
  std::optional<std::string_view> name;              // Mcp-Name
  std::optional<std::string_view> session_id;        // Mcp-Session-Id
  const HeaderFields* others = nullptr;              // null: there are none
};

}  // namespace mcph
