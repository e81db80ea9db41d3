// Where a request belongs in a distributed trace, as its client says in _meta (2026-07-28, basic, "OpenTelemetry trace
// context"; SEP-414). A free function; any thread.
#pragma once

#include <string>
#include <string_view>

#include "protocol/call_observer.hpp"
#include "protocol/message.hpp"

namespace mcph {

// {"traceparent", "tracestate"?, "baggage"?} of a request's _meta, each only as W3C Trace Context (sections 3.2
// and 3.3) and W3C Baggage (section 3.3) have it, because a plugin passes them on as headers. Null where there is no
// traceparent of that shape: what else there is has no trace to belong to.
Json trace_context_in(const Json& meta);

// Whether the text is a traceparent.
bool is_trace_parent(std::string_view text);
// The traceparent of what belongs to a span that is sampled.
std::string trace_parent_of(const TraceSpan& span);

}  // namespace mcph
