// How a client without a token finds out who issues one (RFC 9728; 2026-07-28, basic/authorization, "Authorization
// Server Discovery"). Free functions; any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "auth/access_state.hpp"
#include "auth/protected_resource.hpp"
#include "http/router.hpp"
#include "runtime/current.hpp"

namespace mcph {

// The URL of an endpoint's metadata, for challenges.
std::string metadata_url(const ProtectedResource& resource, std::string_view endpoint_path);

// What is served of an endpoint, to everybody, wherever clients look for it: at the root, too, if it `is_first`. The
// state outlives it.
std::vector<HttpResource> metadata_resources(const Current<AccessState>& access, const std::string& endpoint_path,
                                             bool is_first);

}  // namespace mcph
