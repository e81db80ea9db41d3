// Identity::issuer of the principals that no issuer of the configuration vouches for. Those of the configuration are
// URLs, and no table of one has such a name. Constants.
#pragma once

#include <string_view>

namespace mcph {

// Who looks after the host from its own machine: whoever reaches its control socket, which is its user alone, and so
// may use everything.
inline constexpr std::string_view operator_issuer = "operator";
// Owners of tokens that the host has made.
inline constexpr std::string_view this_host = "host";
// Whoever has started the host, and speaks to it over stdio.
inline constexpr std::string_view process_starter = "stdio";

}  // namespace mcph
