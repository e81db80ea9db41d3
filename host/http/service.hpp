// What an HTTP server serves: the requests go to it, and it words what HTTP itself refuses. One for all connections.
#pragma once

#include "http/body.hpp"
#include "http/request.hpp"
#include "http/response.hpp"
#include "http/rules.hpp"
#include "runtime/coroutine.hpp"

namespace mcph {

class HttpConnection;

class HttpService {
 public:
  virtual ~HttpService() = default;

  // Answers the request on its connection, on whose event loop this runs.
  virtual Coroutine<> serve(HttpRequest& request, HttpConnection& connection) = 0;

  // [any] The response to what is refused, also to what is no request.
  virtual HttpResponse refuse(HttpRefusal refusal) const = 0;

  // [any] Who reads bodies that are too long; null: nobody.
  virtual MakeBodyScanner body_scanner() const { return nullptr; }
  // [any] Lines that the head of every response has, each with its end, unless who answers says others
  // (HttpConnection::add_to_head).
  virtual std::string_view fields() const { return {}; }
  // [any] What pages of other origins may send and read.
  virtual HttpCors cors() const { return {}; }

  // [any] Called several times a second.
  virtual void attend() {}
  // [any] The server stops: no request should keep its connection for longer than its answer takes.
  virtual void shut_down() {}
};

}  // namespace mcph
