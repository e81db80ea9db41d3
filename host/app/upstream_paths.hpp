// Where each upstream server is found by itself: a part of the server of all, with its credentials, policy and limits.
#pragma once

#include <string_view>

#include "catalog/published_catalog.hpp"
#include "http/router.hpp"

namespace mcph {

// After which the endpoint follows: "/upstream/NAME/mcp".
inline constexpr std::string_view upstream_path = "/upstream/*";

// Shows to whoever asks at such a path what that upstream has, and nothing else; refuses what is for one that is not
// there now. The catalog is that of all, and outlives it.
HttpMiddleware narrow_to_upstream(const PublishedCatalog& catalog);

}  // namespace mcph
