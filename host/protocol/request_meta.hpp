// The metadata that every request of revision 2026-07-28 has in its _meta (basic, "General fields"). Free functions;
// any thread.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "base/result.hpp"
#include "protocol/caller.hpp"
#include "protocol/log_level.hpp"
#include "protocol/message.hpp"

namespace mcph {

namespace meta_key {
inline constexpr auto protocol_version = "io.modelcontextprotocol/protocolVersion";
inline constexpr auto client_info = "io.modelcontextprotocol/clientInfo";
inline constexpr auto client_capabilities = "io.modelcontextprotocol/clientCapabilities";
inline constexpr auto log_level = "io.modelcontextprotocol/logLevel";
inline constexpr auto server_info = "io.modelcontextprotocol/serverInfo";
inline constexpr auto subscription_id = "io.modelcontextprotocol/subscriptionId";
}  // namespace meta_key

// Of the _meta of a request, which is kept as a tree until its call or stream ends: 64 KiB of text, and so many values,
// keys among them, because each takes much more memory than `{}` has text. The client's icons, which are not kept, do
// not count.
inline constexpr std::size_t max_meta_bytes = std::size_t{64} << 10;
inline constexpr std::size_t max_meta_values = 2000;
// What is wrong with one that is larger, or whose progressToken is none.
Result<void, RpcError> check_meta(JsonValue params);

// Whether there is _meta that only a request of this revision, or of a later one, has.
bool has_modern_meta(JsonValue params);

// The revision that the request names, and what is wrong if it names none. Looked at before anything else, because what
// else a request must have is its revision's business.
Result<std::string, RpcError> read_version(JsonValue params);

// What a client says of itself, without its icons: they are bulky, and nobody looks at them.
Json without_icons(JsonValue implementation);

// What _meta says of the client. An error if a required field is missing or of a wrong type.
Result<Caller, RpcError> read_caller(JsonValue params);

// The level in _meta from which on the client wants to hear of what is logged during the request. Nothing: it wants to
// hear of nothing.
Result<std::optional<LogLevel>, RpcError> read_log_level_in(JsonValue params);

// What _meta says besides; null: nothing.
Json other_meta(JsonValue params);

}  // namespace mcph
