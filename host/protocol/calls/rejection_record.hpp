// For whoever keeps records of requests: why one came to no plugin. A free function; any thread.
#pragma once

#include "catalog/published_catalog.hpp"
#include "protocol/calls/component_calls.hpp"
#include "protocol/exchange.hpp"

namespace mcph {

// What its client is not told is in its record: that what it asked for is there, and hidden from it.
void note_rejection(const Rejection& rejection, const PublishedCatalog& catalog, const Exchange& exchange);

}  // namespace mcph
