// Which request it is that is refused before its body has been looked at.
#pragma once

#include <string>

#include "http/request.hpp"

namespace mcph {

// Its JSON-RPC id as JSON text, so that the error reaches it, where that is soon found; empty where it is not.
std::string id_of(const HttpRequest& request);

}  // namespace mcph
