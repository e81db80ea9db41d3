// What the host says to an upstream and what it hears from one, as JSON-RPC in the words of the upstream's era. Free
// functions and values; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/json.hpp"
#include "base/result.hpp"
#include "catalog/parameter_headers.hpp"
#include "plugin/method.hpp"
#include "sources/upstream/upstream_transport.hpp"

namespace mcph {

// Of errors, as JSON-RPC and MCP have them.
namespace upstream_code {
inline constexpr int invalid_request = -32600;
inline constexpr int method_not_found = -32601;
inline constexpr int invalid_params = -32602;
inline constexpr int internal_error = -32603;
inline constexpr int resource_not_found = -32002;        // as a plugin says it
inline constexpr int header_mismatch = -32020;           // 2026-07-28, basic, "Error Codes"
inline constexpr int unsupported_version = -32022;       // likewise
inline constexpr int url_elicitation_required = -32042;  // 2025-11-25, client/elicitation
}  // namespace upstream_code

// To which what an upstream says is read, and of what it says in words, how much is in the log.
inline constexpr std::size_t max_upstream_depth = 128;
inline constexpr std::size_t max_logged_bytes = 4096;

// Whether a text is read as a tree, which may take thirty times the memory of the text: one that is short, or whose
// length is that of its strings.
bool may_be_read(std::string_view text);

inline constexpr std::string_view modern_revision = "2026-07-28";
inline constexpr std::string_view last_legacy_revision = "2025-11-25";
// Whether the host speaks it.
bool is_legacy_revision(std::string_view revision);

// With whom it has been agreed how to speak.
struct UpstreamPeer {
  bool is_modern = false;
  std::string revision = {};  // empty before that
  Json capabilities = Json::object();
  std::string name = {};  // what it says of itself
  std::string version = {};
  std::string instructions = {};

  bool can(const char* capability) const { return capabilities.contains(capability); }
  // A flag in a capability, such as tools.listChanged.
  bool can(const char* capability, const char* part) const;
};

// What the host can do for an upstream: what its own clients may.
Json client_capabilities(bool is_modern);

// What a request says in _meta besides what each says.
struct RequestMeta {
  std::string own = {};           // members: of the client, which are passed on
  std::string capabilities = {};  // of the client that asks, a JSON object; empty: those of the host
  bool wants_progress = false;    // under the request's id
  bool wants_log = false;
};

// `params`: its members. Calls are passed on as text, because reading all of it twice would cost more than the rest.
UpstreamMessage request_to(const UpstreamPeer& peer, std::uint64_t id, Method method, std::string_view params,
                           const RequestMeta& meta = {});
UpstreamMessage notification_to(const UpstreamPeer& peer, Method method, Json params);
// To an input request of an upstream of the legacy era. `id` is JSON.
UpstreamMessage answer_to(const UpstreamPeer& peer, const Json& id, const Json& result);
UpstreamMessage error_to(const UpstreamPeer& peer, const Json& id, int code, std::string_view message);

// The parameters of initialize.
Json initialize_params();

struct UpstreamError {
  int code = 0;
  std::string message;
  Json data = nullptr;
};

namespace from_upstream {

struct Answer {
  std::uint64_t id = 0;
  std::variant<std::string, UpstreamError> outcome;  // the text of a result is read by whoever wants it
};
struct Notification {
  std::string method;
  Json params;
};
// That it asks of the host: the legacy era.
struct Request {
  Json id;
  std::string method;
  OrderedJson params;  // as it wrote it, because people see it
};
using Message = std::variant<Answer, Notification, Request>;

// Says what is wrong with it, but for what is wrong within a result. An answer under an id that the host never gives is
// wrong, too, and so is what may not be read, unless it is a plain result.
Result<Message> read(std::string_view text);

// Of a text that is too long or broken: of which request it is the answer, as far as its first and last bytes tell
// (writers of JSON put the id of an answer at its beginning or its end).
std::optional<std::uint64_t> answered_request(std::string_view beginning, std::string_view end);

}  // namespace from_upstream

// Of modern errors that an upstream of the legacy era never says.
bool is_modern_error(const UpstreamError& error);
// What a server that knows only older revisions may say of a modern request: of its method, its session or its version.
bool is_legacy_refusal(const UpstreamError& error);

// Of a modern result. Without one it is complete.
std::string result_type_of(std::string_view result);

// Keeps the order of keys; where one comes twice, the last counts.
Result<OrderedJson> parse_in_order(std::string_view text, std::size_t max_depth = max_upstream_depth);

// What a plugin may complete a call with, of a result of the upstream: what is only between it and the host is taken
// out, and so is a negative time to live, which a client ignores (2026-07-28, server/utilities/caching). What is no
// JSON stays so.
std::string without_envelope(std::string_view result);

// The same of a result that nobody may keep (2026-07-28, server/utilities/caching, "Cache Key").
std::string without_caching_hints(const std::string& result);

// The arguments that a tool wants to be repeated in fields of HTTP (2026-07-28, server/tools, "x-mcp-header"), encoded.
// An error, which continues what the call is of, where one cannot be.
using ParameterFields = std::vector<std::pair<std::string, std::string>>;
Result<ParameterFields> parameter_fields(const std::vector<ParameterHeader>& headers, const Json& arguments);

// What of a client's own _meta goes to an upstream: its members. `context`: as Call has it.
std::string passed_on_meta(std::string_view context);

}  // namespace mcph
