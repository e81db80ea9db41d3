// What this server can do, and what a client must be able to do for an input request of a plugin. Free functions.
#pragma once

#include <string>
#include <vector>

#include "catalog/catalog.hpp"
#include "protocol/message.hpp"

namespace mcph {

// ServerCapabilities, JSON: every list may change while a client is connected. They state only what works. Those of the
// legacy era, where a client of MCP Apps looks for them too. Extensions are named without
// "io.modelcontextprotocol/".
// `view` is what the client sees of what is served: plugins may add to them.
std::string server_capabilities(const Catalog& view, const std::vector<std::string>& further_extensions = {});
// Those of revisions from 2026-07-28 on.
std::string modern_server_capabilities(const Catalog& view, const std::vector<std::string>& further_extensions = {});

// The part of ClientCapabilities that the input requests need and the client lacks; an empty object if nothing is
// missing.
Json missing_capabilities(const OrderedJson& input_requests, const Json& client_capabilities);

// Takes out what asks a client for context of servers that does not declare "sampling.context" (client/sampling,
// "Capabilities"). It then gives none.
void drop_undeclared_context(OrderedJson& input_requests, const Json& client_capabilities);

// What is missing of the "requiredCapabilities" of an error of 2026-07-28.
Json missing_capabilities_in(const Json& error_data, const Json& client_capabilities);

// What is missing, in words for people: capability "elicitation.form", or capabilities "roots" and "sampling.tools".
std::string in_words(const Json& missing_capabilities);

}  // namespace mcph
