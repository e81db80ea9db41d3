// The reply that says what is wrong with a request.
#pragma once

#include <string_view>

#include "protocol/exchange.hpp"
#include "protocol/message.hpp"

namespace mcph {

// `id` is empty where none is known.
inline Reply error_reply(std::string_view id, const RpcError& error, ReplyStatus status = ReplyStatus::answered) {
  if (!error.scopes.empty()) status = ReplyStatus::insufficient_scope;
  if (error.limit) status = ReplyStatus::limited;
  return {.body = error_response(id, error),
          .status = status,
          .scopes = error.scopes,
          .limit = error.limit,
          .error_code = error.code};
}

}  // namespace mcph
