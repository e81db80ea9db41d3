// Base64 and base64url (RFC 4648), and the form in which MCP's HTTP transport carries values that no header can hold.
// Decoding is strict: of all texts that could stand for some bytes only the one that encoding produces is accepted, so
// that equal bytes always have equal text. Plain functions without state; callable from any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace mcph {

// Section 4: with padding.
std::string base64_encode(std::string_view bytes);
std::optional<std::string> base64_decode(std::string_view text);
// Whether lenient decoders find bytes in it: it may have white space, lack the padding, and have bits set that belong
// to no byte.
bool is_base64(std::string_view text);

// Section 5: alphabet safe in URLs and file names; without padding, and refusing it.
std::string base64url_encode(std::string_view bytes);
std::optional<std::string> base64url_decode(std::string_view text);

// The value that an Mcp-Name or Mcp-Param-* header stands for (revision 2026-07-28, Streamable HTTP, "Value Encoding"):
// `=?base64?...?=` is decoded, anything else is the value itself. Nothing for invalid Base64, and for a plain value
// with characters that a header may not have. Decoded bytes are any bytes; whether they are UTF-8 shows when they are
// compared with the request's body.
std::optional<std::string> decode_mcp_header_value(std::string_view value);
// The value as such a header carries it.
std::string encode_mcp_header_value(std::string_view value);

}  // namespace mcph
