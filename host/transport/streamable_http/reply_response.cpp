#include "transport/streamable_http/reply_response.hpp"

#include <string>
#include <utility>

#include "base/time_text.hpp"
#include "protocol/message.hpp"
#include "transport/streamable_http/limit_fields.hpp"

namespace mcph {
namespace {

// Of the endpoint for clients that have no session there.
constexpr auto allowed_without_sessions = "POST, OPTIONS, HEAD";

unsigned status_of(ReplyStatus status) {
  switch (status) {
    case ReplyStatus::answered:
      return 200;
    case ReplyStatus::accepted:
      return 202;
    case ReplyStatus::ended:
      return 204;
    case ReplyStatus::invalid:
      return 400;
    case ReplyStatus::not_found:
      return 404;
    case ReplyStatus::not_offered:
      return 405;
    case ReplyStatus::too_long:
      return 413;
    case ReplyStatus::insufficient_scope:
      return 403;
    case ReplyStatus::limited:
      return 429;
    case ReplyStatus::unavailable:
      break;
  }
  return 503;
}

}  // namespace

HttpResponse to_response(Reply reply) {
  HttpResponse response{.status = status_of(reply.status), .body = std::move(reply.body)};
  if (reply.status == ReplyStatus::not_offered) response.fields.emplace_back("Allow", allowed_without_sessions);
  if (reply.status == ReplyStatus::unavailable) response.fields.emplace_back("Retry-After", "1");
  if (reply.limit) response.fields = refusal_fields(*reply.limit);
  if (reply.session) {
    response.fields.emplace_back("Mcp-Session-Id", std::move(reply.session->id));
    response.fields.emplace_back("X-Session-Expires-At", time_text(reply.session->expiry));
  }
  return response;
}

HttpResponse to_response(HttpRefusal refusal) {
  // Of this server's own state, and not of the request.
  const bool is_unavailable = refusal.status == status_of(ReplyStatus::unavailable);
  const auto code = is_unavailable ? error_code::internal_error : error_code::invalid_request;
  auto body = refusal.body.empty() ? error_response({}, {code, std::move(refusal.message)}) : std::move(refusal.body);
  return {.status = refusal.status, .body = std::move(body), .fields = std::move(refusal.fields)};
}

}  // namespace mcph
