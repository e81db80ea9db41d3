// Texts that are not in UTF-8, as UTF-8. Pure functions. By hand, because a sandbox has no tables for iconv.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <mcp/plugin/typed.hpp>

namespace plugins::files {

enum class Encoding { utf_8, latin_1, utf_16, base64 };

constexpr auto mcp_enum(Encoding) {
  return mcp::enum_names<Encoding>({{Encoding::utf_8, "utf-8"},
                                    {Encoding::latin_1, "latin-1"},
                                    {Encoding::utf_16, "utf-16"},
                                    {Encoding::base64, "base64"}});
}

std::string_view without_byte_order_mark(std::string_view utf_8);

// In UTF-8, without a byte order mark. UTF-16 is little endian where no mark says otherwise. Nothing if the bytes are
// no text in the encoding, or have a NUL.
std::optional<std::string> text_in(std::string_view bytes, Encoding encoding);

}  // namespace plugins::files
