#include "transport/streamable_http/request_head.hpp"

#include <array>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "base/ascii.hpp"
#include "catalog/narrowing.hpp"
#include "protocol/message.hpp"
#include "transport/streamable_http/request_id.hpp"

namespace mcph {
namespace {

// What a client asks for by X-MCP-Toolsets, X-MCP-Tools, X-MCP-Exclude-Tools and X-MCP-Readonly.
struct NarrowingFields {
  std::optional<std::string_view> plugins;
  std::optional<std::string_view> tools;
  std::optional<std::string_view> excluded;
  std::optional<std::string_view> read_only;

  bool any() const { return plugins || tools || excluded || read_only; }
};

// Elements apart by commas, with or without spaces; empty ones do not count (RFC 9110 section 5.6.1).
std::set<std::string, std::less<>> elements(std::optional<std::string_view> list) {
  std::set<std::string, std::less<>> all;
  auto rest = list.value_or(std::string_view());
  while (!rest.empty()) {
    const auto end = std::min(rest.find(','), rest.size());
    const auto first = rest.substr(0, end).find_first_not_of(" \t");
    if (first < end) {
      const auto last = rest.substr(0, end).find_last_not_of(" \t");
      all.emplace(rest.substr(first, last + 1 - first));
    }
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return all;
}

// 2026-07-28, basic/transports/streamable-http, "Standard Request Headers".
bool mirrors_the_body(std::string_view field) {
  return field == "MCP-Protocol-Version" || field == "Mcp-Method" || field == "Mcp-Name";
}

HttpChecked narrow(const NarrowingFields& fields, Principal& principal) {
  // A session keeps what its client wishes.
  constexpr std::size_t max_bytes = 4096;
  for (const auto& field : {fields.plugins, fields.tools, fields.excluded}) {
    if (field && field->size() > max_bytes)
      return HttpRefusal{400, "The headers X-MCP-Toolsets, X-MCP-Tools and X-MCP-Exclude-Tools may have " +
                                  std::to_string(max_bytes) + " bytes each"};
  }
  Narrowing::Wishes wishes{.upstream = std::string(upstream_for(principal)),
                           .plugins = elements(fields.plugins),
                           .tools = elements(fields.tools),
                           .excluded = elements(fields.excluded)};
  constexpr std::size_t max_names = 128;
  for (const auto* names : {&wishes.plugins, &wishes.tools, &wishes.excluded}) {
    if (names->size() > max_names)
      return HttpRefusal{400, "The headers X-MCP-Toolsets, X-MCP-Tools and X-MCP-Exclude-Tools may have " +
                                  std::to_string(max_names) + " names each"};
  }
  // A list without names is no wish for everything.
  if ((fields.plugins || fields.tools) && wishes.plugins.empty() && wishes.tools.empty())
    return HttpRefusal{400, "The headers X-MCP-Toolsets and X-MCP-Tools must name something"};
  if (fields.read_only) {
    const auto value = lower_case(std::string(*fields.read_only));
    // It must not let a client change what it has asked not to be able to.
    if (value != "true" && value != "false") return HttpRefusal{400, "The header X-MCP-Readonly must be true or false"};
    wishes.read_only = value == "true";
  }
  if (wishes.narrow()) principal = principal.narrowed(std::make_shared<const Narrowing>(std::move(wishes)));
  return {};
}

}  // namespace

HttpChecked read_head(const HttpRequest& request, HttpHead& head) {
  NarrowingFields narrowing;
  const std::array<SingleField, 9> wanted{{{"MCP-Protocol-Version", &head.protocol_version},
                                           {"Mcp-Method", &head.method},
                                           {"Mcp-Name", &head.name},
                                           {"Mcp-Session-Id", &head.session_id},
                                           {"Last-Event-ID", &head.last_event_id},
                                           {"X-MCP-Toolsets", &narrowing.plugins},
                                           {"X-MCP-Tools", &narrowing.tools},
                                           {"X-MCP-Exclude-Tools", &narrowing.excluded},
                                           {"X-MCP-Readonly", &narrowing.read_only}}};
  head.principal = request.principal;
  const auto repeated = read_single_fields(request.all_fields, wanted);
  if (!repeated.empty()) {
    HttpRefusal refusal{400, "The header " + std::string(repeated) + " is given more than once"};
    if (mirrors_the_body(repeated))
      refusal.body =
          error_response(id_of(request), {error_code::header_mismatch, "Header mismatch: " + refusal.message});
    return refusal;
  }
  return narrowing.any() ? narrow(narrowing, head.principal) : HttpChecked();
}

}  // namespace mcph
