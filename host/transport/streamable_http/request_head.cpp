#include "transport/streamable_http/request_head.hpp"

#include <array>
#include <string>

namespace mcph {

std::optional<HttpRefusal> read_head(const HttpRequest& request, HttpHead& head) {
  const std::array<SingleField, 5> wanted{{{"MCP-Protocol-Version", &head.protocol_version},
                                           {"Mcp-Method", &head.method},
                                           {"Mcp-Name", &head.name},
                                           {"Mcp-Session-Id", &head.session_id},
                                           {"Last-Event-ID", &head.last_event_id}}};
  head.principal = request.principal;
  const auto repeated = read_single_fields(request.all_fields, wanted);
  if (repeated.empty()) return std::nullopt;
  return HttpRefusal{400, "The header " + std::string(repeated) + " is given more than once"};
}

}  // namespace mcph
