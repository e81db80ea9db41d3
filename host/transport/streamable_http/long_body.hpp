// Of a body that is too long, and so not kept: which message it is, for the answer. Free functions; any thread.
#pragma once

#include <memory>

#include "http/body.hpp"
#include "protocol/envelope_reader.hpp"

namespace mcph {

// Reads such bodies, each on the event loop of its connection.
std::unique_ptr<BodyScanner> make_envelope_scanner();

// What the scanner of this body has found out.
Envelope envelope_of(const HttpBody& body);

}  // namespace mcph
