#include "http/router.hpp"

#include <algorithm>

#include "http/connection.hpp"
#include "http/service.hpp"

namespace mcph {
namespace {

namespace http = boost::beast::http;

const HttpHandler* find_handler(const HttpResource& resource, http::verb method) {
  const auto found = std::ranges::find(resource.methods, method, &std::pair<http::verb, HttpHandler>::first);
  return found == resource.methods.end() ? nullptr : &found->second;
}

std::string allowed_methods(const HttpResource& resource) {
  std::string allowed;
  for (const auto& [method, handler] : resource.methods)
    allowed.append(std::string_view(http::to_string(method))).append(", ");
  return allowed.append("OPTIONS, HEAD");
}

}  // namespace

HttpMiddleware check_access(HttpAccess access) {
  return [access = std::move(access)](HttpRequest& request) -> std::optional<HttpRefusal> {
    if (request.host && !host_allowed(access, request.host)) {
      return HttpRefusal{403,
                         "The Host header names a host that this server does not serve; allow it with --allow-host"};
    }
    if (!origin_allowed(access, request.fields.origin)) {
      return HttpRefusal{403, "The Origin is not allowed; allow it with --allow-origin"};
    }
    return std::nullopt;
  };
}

boost::asio::awaitable<void> HttpRouter::route(HttpRequest& request, HttpConnection& connection) const {
  if (auto refused = admit(request, connection)) return connection.refuse(*std::move(refused));
  connection.answer_to(request.principal);
  const auto* const resource = find(request);
  if (resource == nullptr) return connection.respond(not_found_);
  if (request.body.is_too_long()) return resource->refuse_long(request, connection);
  if (const auto* const handler = find_handler(*resource, request.method)) return (*handler)(request, connection);
  auto allowed = allowed_methods(*resource);
  if (request.method == http::verb::head) return connection.respond({.fields = {{"Allow", std::move(allowed)}}});
  if (request.method == http::verb::options) {
    const auto asked_for = list_field(request.all_fields, "Access-Control-Request-Headers");
    return connection.respond(
        {.status = 204,
         .fields = {{"Allow", allowed},
                    {"Access-Control-Allow-Methods", allowed},
                    {"Access-Control-Allow-Headers", cors_allowed_headers(connection.service().cors(), asked_for)},
                    {"Access-Control-Max-Age", "86400"}}});
  }
  return connection.refuse({405, "This endpoint knows the methods " + allowed, {{"Allow", allowed}}});
}

std::optional<HttpRefusal> HttpRouter::admit(HttpRequest& request, HttpConnection& connection) const {
  if (auto refused = access_(request)) return refused;
  // Also a refusal of the others, for a page that can do something about it.
  connection.let_read(request.fields.origin);
  for (const auto& looks_at : middleware_) {
    if (auto refused = looks_at(request)) return refused;
  }
  return std::nullopt;
}

const HttpResource* HttpRouter::find(const HttpRequest& request) const {
  if (request.for_server) return &resources_.front();
  const auto found = std::ranges::find(resources_, request.path, &HttpResource::path);
  return found == resources_.end() ? nullptr : &*found;
}

}  // namespace mcph
