// What a transport knows of a request besides its text. Views; lives as long as the request is being received.
#pragma once

#include "protocol/caller.hpp"
#include "protocol/mirrored_fields.hpp"

namespace mcph {

class SenderLimits;

struct RequestContext {
  const Principal& principal = anonymous;
  const MirroredFields* mirrored = nullptr;  // null: the transport repeats nothing
  const SenderLimits* limits = nullptr;      // of who has sent it; null: there are none
  bool counted = true;                       // by them already, as far as it is one request
};

}  // namespace mcph
