// What a client is told of whose request a limit refuses.
#pragma once

#include "limits/limits.hpp"
#include "protocol/message.hpp"

namespace mcph {

inline RpcError limit_error(const LimitRefusal& refusal) {
  return {.code = error_code::limited,
          .message = refusal.message,
          .data = {{"limit", refusal.standing.limit}, {"retryAfterMs", refusal.standing.reset.count()}},
          .limit = refusal.standing};
}

}  // namespace mcph
