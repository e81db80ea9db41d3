// Finds who answers a request: first every middleware looks at it, that of all requests and that of its path, which may
// refuse it or add what it knows, then it goes by its path and its method to a handler. Made by a service before it
// serves; then any thread.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/beast/http/verb.hpp>

#include "http/request.hpp"
#include "http/response.hpp"
#include "http/rules.hpp"
#include "runtime/coroutine.hpp"

namespace mcph {

class HttpConnection;

// What a middleware has found. Empty: the request goes on.
struct HttpVerdict {
  std::optional<HttpRefusal> refusal = {};  // it goes no further
  // It is to be looked at again: `wait` calls `done` once, on any thread, when there is something new.
  std::function<void(std::function<void()> done)> wait = {};
  // Called where it is not waited for any more.
  std::function<void()> given_up = {};
};
using HttpMiddleware = std::function<HttpVerdict(HttpRequest& request)>;

using HttpRefusalListener = std::function<void(const HttpRequest& request, unsigned status)>;

// Refuses what is meant for another host, or comes from a page of another origin, unless pages of any may ask for it.
HttpChecked check_access(const HttpAccess& access, const HttpRequest& request, bool is_public = false);

using HttpHandler = std::function<Coroutine<>(HttpRequest& request, HttpConnection& connection)>;

struct HttpResource {
  std::string path;                                                       // in which a segment "*" stands for any
  std::vector<std::pair<boost::beast::http::verb, HttpHandler>> methods;  // besides OPTIONS; HEAD may be there or not
  HttpHandler refuse_long;                                                // whose body is too long
  std::vector<HttpMiddleware> middleware = {};                            // what looks at its requests, in this order
  bool is_public = false;  // pages of any origin may ask for it, and all get the same
};

// What is there for everybody: by GET, and by HEAD without its body.
HttpResource document(std::string path, HttpHandler get);

class HttpRouter {
 public:
  // What is admitted at all, and the response where nothing is.
  HttpRouter(HttpAccess access, HttpResponse not_found)
      : access_(std::move(access)), not_found_(std::move(not_found)) {}

  // Says where each request comes from, before anything else looks at it. It waits for nothing.
  void locate_by(HttpMiddleware middleware) { locate_ = std::move(middleware); }
  // In the order in which they look at any request after that.
  void use(HttpMiddleware middleware) { middleware_.push_back(std::move(middleware)); }
  // Hears of each request that is not admitted, or that nothing here answers, and with which status.
  void when_refused(HttpRefusalListener listener) { refused_ = std::move(listener); }
  // The first one is asked for the methods of the server as a whole, too.
  void add(HttpResource resource) { resources_.push_back(std::move(resource)); }

  // Answers the request on its connection.
  Coroutine<> route(HttpRequest& request, HttpConnection& connection) const;

 private:
  HttpVerdict admit(HttpRequest& request, const HttpResource* resource) const;
  Coroutine<> refuse(const HttpRequest& request, HttpConnection& connection, HttpRefusal refusal) const;
  Coroutine<> route_later(HttpRequest& request, HttpConnection& connection, HttpVerdict verdict) const;
  Coroutine<> answer(HttpRequest& request, HttpConnection& connection, const HttpResource* resource) const;
  const HttpResource* find(const HttpRequest& request) const;

  const HttpAccess access_;
  const HttpResponse not_found_;
  HttpMiddleware locate_ = [](HttpRequest&) { return HttpVerdict(); };
  std::vector<HttpMiddleware> middleware_;
  HttpRefusalListener refused_;
  std::vector<HttpResource> resources_;
};

}  // namespace mcph
