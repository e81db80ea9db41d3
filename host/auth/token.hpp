// The tokens that this program makes: mph_ID_SECRET, where the end of the secret is a checksum of all before it. The
// prefix and the checksum let scanners of repositories recognise one that has been committed; the ID, which is not
// secret, names it in logs and commands. Free functions; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace mcph {

// 256 random bits, and an ID of its own.
std::string make_token();

// Whether it says that it is one.
bool is_host_token(std::string_view text);

// The ID of what has the form of a token; nothing for anything else.
std::optional<std::string_view> token_id(std::string_view text);

// What is kept of one, in lower-case hexadecimal. A token has as much chance as a key, so a plain SHA-256 is enough.
std::string token_digest(std::string_view token);

}  // namespace mcph
