#include "transport/streamable_http/limit_requests.hpp"

#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include "protocol/limit_error.hpp"
#include "transport/streamable_http/limit_fields.hpp"
#include "transport/streamable_http/request_id.hpp"

namespace mcph {
namespace {

// What a browser asks before it sends anything does no work, and is no request of its user.
bool is_preflight(const HttpRequest& request) {
  return request.method == boost::beast::http::verb::options;
}

HttpVerdict apply(LimitVerdict verdict, HttpRequest& request) {
  std::ranges::move(verdict.places, std::back_inserter(request.held));
  if (verdict.tightest) request.answer_fields = limit_fields(*verdict.tightest);
  if (!verdict.refusal) return {};
  const auto error = limit_error(*verdict.refusal);
  return {.refusal = HttpRefusal{.status = 429,
                                 .message = error.message,
                                 .fields = refusal_fields(*error.limit),
                                 .body = error_response(id_of(request), error)}};
}

}  // namespace

std::string address_key(const IpAddress& address) {
  constexpr std::size_t site = 8;
  const auto& bytes = address.bytes();
  return address.is_v4() ? std::string(bytes.end() - 4, bytes.end()) : std::string(bytes.begin(), bytes.begin() + site);
}

HttpMiddleware limit_by_address(const Current<Limits>& limits) {
  return [&limits](HttpRequest& request) -> HttpVerdict {
    if (is_preflight(request) || request.has_waited) return {};
    const auto current = limits.get();
    if (!current->any()) return {};
    return apply(current->admit_from(address_key(request.source)), request);
  };
}

void note_failure(const Current<Limits>& limits, const HttpRequest& request) {
  const auto current = limits.get();
  if (current->any()) current->note_failure(address_key(request.source));
}

HttpMiddleware limit_by_sender(const Current<Limits>& limits) {
  return [&limits](HttpRequest& request) -> HttpVerdict {
    if (is_preflight(request)) return {};
    const auto current = limits.get();
    if (!current->any()) return {};
    return apply(SenderLimits(current, request.principal, address_key(request.source)).admit_request(), request);
  };
}

}  // namespace mcph
