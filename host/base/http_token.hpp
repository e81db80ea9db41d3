// What a header may be called (RFC 9110 section 5.6.2). A free function; any thread.
#pragma once

#include <string_view>

namespace mcph {

inline bool is_token(std::string_view text) {
  constexpr std::string_view allowed = "!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  return !text.empty() && text.find_first_not_of(allowed) == std::string_view::npos;
}

}  // namespace mcph
