// Who looks after the host from its own machine: whoever reaches its control socket, which is its user alone, and so
// may use everything. A constant.
#pragma once

#include <string_view>

namespace mcph {

// Identity::issuer of such a principal. No issuer of the configuration is called so, because those are URLs.
inline constexpr std::string_view operator_issuer = "operator";

}  // namespace mcph
