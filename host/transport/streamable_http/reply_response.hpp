// How HTTP says what MCP has to say (2025-11-25 and 2026-07-28, basic/transports). Free functions; any thread.
#pragma once

#include "http/response.hpp"
#include "protocol/exchange.hpp"

namespace mcph {

// The outcome of a message.
HttpResponse to_response(Reply reply);

// An error in JSON-RPC's form, of no request in particular.
HttpResponse to_response(HttpRefusal refusal);

}  // namespace mcph
