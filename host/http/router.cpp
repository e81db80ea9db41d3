#include "http/router.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/post.hpp>

#include "base/path_pattern.hpp"
#include "http/connection.hpp"
#include "http/service.hpp"
#include "runtime/as_value.hpp"

namespace mcph {
namespace {

namespace http = boost::beast::http;

const HttpHandler* find_handler(const HttpResource& resource, http::verb method) {
  const auto found = std::ranges::find(resource.methods, method, &std::pair<http::verb, HttpHandler>::first);
  return found == resource.methods.end() ? nullptr : &found->second;
}

std::string allowed_methods(const HttpResource& resource) {
  std::string allowed;
  for (const auto& [method, handler] : resource.methods) {
    if (method != http::verb::head) allowed.append(std::string_view(http::to_string(method))).append(", ");
  }
  allowed.append("OPTIONS, HEAD");
  return allowed;
}

// What middleware has added.
void pass_on(HttpRequest& request, HttpConnection& connection) {
  connection.hold(std::move(request.held));
  connection.add_fields(std::move(request.answer_fields));
}

// Returns when `begin` has called what it is given.
Coroutine<> until_done(boost::asio::any_io_executor executor, std::function<void(std::function<void()>)> begin) {
  auto initiate = [executor, begin = std::move(begin)](auto handler) mutable {
    // What begins it may keep what is called then, and would so keep itself.
    const auto once = std::exchange(begin, nullptr);
    const auto shared = std::make_shared<decltype(handler)>(std::move(handler));
    once([executor, shared] { boost::asio::post(executor, [shared] { std::move (*shared)(); }); });
  };
  co_await boost::asio::async_initiate<decltype(as_value), void()>(std::move(initiate), as_value);
}

}  // namespace

HttpChecked check_access(const HttpAccess& access, const HttpRequest& request, bool is_public) {
  if (request.host && !host_allowed(access, request.host)) {
    return HttpRefusal{403, "The Host header names a host that this server does not serve; allow it with --allow-host"};
  }
  if (!is_public && !origin_allowed(access, request.fields.origin)) {
    const auto option = std::string(access.origin_option);
    return HttpRefusal{403, "The Origin is not allowed" + (option.empty() ? option : "; allow it with " + option)};
  }
  return {};
}

HttpResource document(std::string path, HttpHandler get) {
  return {.path = std::move(path),
          .methods = {{http::verb::get, get}, {http::verb::head, get}},
          .refuse_long = [](HttpRequest&, HttpConnection& connection) {
            return connection.refuse({413, "Nothing here takes a body"});
          }};
}

Coroutine<> HttpRouter::route(HttpRequest& request, HttpConnection& connection) const {
  const auto* const resource = find(request);
  const bool is_public = resource != nullptr && resource->is_public;
  if (!is_public) connection.vary_by_origin();
  // First, because it is said of a refusal where the request comes from.
  auto located = locate_(request);
  if (const auto checked = check_access(access_, request, is_public); checked.has_error())
    return refuse(request, connection, checked.error());
  // Also a refusal of the others, for a page that can do something about it.
  connection.let_read(is_public ? std::optional<std::string_view>("*") : request.fields.origin);
  if (located.refusal) return refuse(request, connection, *std::move(located.refusal));
  auto verdict = admit(request, resource);
  if (verdict.wait) return route_later(request, connection, std::move(verdict));
  pass_on(request, connection);
  if (verdict.refusal) return refuse(request, connection, *std::move(verdict.refusal));
  return answer(request, connection, resource);
}

Coroutine<> HttpRouter::refuse(const HttpRequest& request, HttpConnection& connection, HttpRefusal refusal) const {
  if (refused_) refused_(request, refusal.status);
  return connection.refuse(std::move(refusal));
}

Coroutine<> HttpRouter::route_later(HttpRequest& request, HttpConnection& connection, HttpVerdict verdict) const {
  // What waits for the same thing may each time find that somebody else's wait has been of no use to it.
  constexpr int max_waits = 3;
  const auto* const resource = find(request);
  for (int waits = 0; verdict.wait; ++waits) {
    if (waits == max_waits) {
      if (verdict.given_up) verdict.given_up();
      verdict = {.refusal = unavailable("It cannot be found out now whether this request may be answered")};
      break;
    }
    auto waiting = until_done(connection.executor(), std::move(verdict.wait));
    co_await std::move(waiting);
    request.has_waited = true;
    verdict = admit(request, resource);
  }
  pass_on(request, connection);
  if (verdict.refusal) {
    auto refusing = refuse(request, connection, *std::move(verdict.refusal));
    co_await std::move(refusing);
  } else {
    co_await answer(request, connection, resource);
  }
}

Coroutine<> HttpRouter::answer(HttpRequest& request, HttpConnection& connection, const HttpResource* resource) const {
  connection.answer_to(request.principal);
  if (resource == nullptr) {
    if (refused_) refused_(request, not_found_.status);
    return connection.respond(not_found_);
  }
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
  return refuse(request, connection, {405, "This endpoint knows the methods " + allowed, {{"Allow", allowed}}});
}

HttpVerdict HttpRouter::admit(HttpRequest& request, const HttpResource* resource) const {
  static const std::vector<HttpMiddleware> none;
  for (const auto* const some : {&middleware_, resource != nullptr ? &resource->middleware : &none}) {
    for (const auto& looks_at : *some) {
      if (auto verdict = looks_at(request); verdict.refusal || verdict.wait) return verdict;
    }
  }
  return {};
}

const HttpResource* HttpRouter::find(const HttpRequest& request) const {
  if (request.for_server) return &resources_.front();
  const auto found =
      std::ranges::find_if(resources_, [&](const HttpResource& each) { return fits_path(each.path, request.path); });
  return found == resources_.end() ? nullptr : &*found;
}

}  // namespace mcph
