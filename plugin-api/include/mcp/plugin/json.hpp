// mcp::Json, the value that raw forms take and give: nlohmann::json. Declared here and defined by <mcp/plugin.hpp>, so
// that the other headers stay cheap. parse_json and dump_json are compiled once, in the runtime: an author's file that
// uses them instead of Json::parse and Json::dump saves more than a second of compilation.
#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace mcp {

using Json = nlohmann::json;

/// Throws std::invalid_argument that says where the text stops being JSON.
Json parse_json(std::string_view text);

/// Compact text. Bytes that are not UTF-8 become U+FFFD, and infinity and NaN null.
std::string dump_json(const Json& value);

}  // namespace mcp
