// Finds who answers a request: first every middleware looks at it, which may refuse it or add what it knows, then it
// goes by its path and its method to a handler. Made by a service before it serves; then any thread.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/asio/awaitable.hpp>
#include <boost/beast/http/verb.hpp>

#include "http/request.hpp"
#include "http/response.hpp"
#include "http/rules.hpp"

namespace mcph {

class HttpConnection;

// A refusal: the request goes no further.
using HttpMiddleware = std::function<std::optional<HttpRefusal>(HttpRequest& request)>;

// Refuses what is meant for another host, or comes from a page of another origin.
HttpMiddleware check_access(HttpAccess access);

using HttpHandler = std::function<boost::asio::awaitable<void>(HttpRequest& request, HttpConnection& connection)>;

struct HttpResource {
  std::string path;
  std::vector<std::pair<boost::beast::http::verb, HttpHandler>> methods;  // besides OPTIONS and HEAD
  HttpHandler refuse_long;                                                // whose body is too long
};

class HttpRouter {
 public:
  // What is admitted at all, and the response where nothing is.
  HttpRouter(HttpAccess access, HttpResponse not_found)
      : access_(check_access(std::move(access))), not_found_(std::move(not_found)) {}

  // In the order in which they look at a request after that.
  void use(HttpMiddleware middleware) { middleware_.push_back(std::move(middleware)); }
  // The first one is asked for the methods of the server as a whole, too.
  void add(HttpResource resource) { resources_.push_back(std::move(resource)); }

  // Answers the request on its connection.
  boost::asio::awaitable<void> route(HttpRequest& request, HttpConnection& connection) const;

 private:
  std::optional<HttpRefusal> admit(HttpRequest& request, HttpConnection& connection) const;
  const HttpResource* find(const HttpRequest& request) const;

  const HttpMiddleware access_;
  const HttpResponse not_found_;
  std::vector<HttpMiddleware> middleware_;
  std::vector<HttpResource> resources_;
};

}  // namespace mcph
