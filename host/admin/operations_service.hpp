// What an operator's programs read over HTTP, on a listener of its own: whether the host is alive and ready, how it
// fares (/status), and its metrics (/metrics). Reads only; nobody is asked who he is, so the listener belongs where
// only the operator reaches it. Owned by AdminListener, for its HTTP server; any thread.
#pragma once

#include <functional>
#include <string>

#include "http/health.hpp"
#include "http/router.hpp"
#include "http/service.hpp"

namespace mcph {

class OperationsService final : public HttpService {
 public:
  // Each is called for each request of it, on any thread, and outlives this with all that it uses.
  struct Sources {
    std::function<Readiness()> readiness;
    std::function<std::string()> status;   // a JSON object
    std::function<std::string()> metrics;  // in the text format of Prometheus, 0.0.4
    std::function<void()> attend;          // several times a second
  };

  OperationsService(HttpAccess access, Sources sources);

  Coroutine<> serve(HttpRequest& request, HttpConnection& connection) override {
    return router_.route(request, connection);
  }
  HttpResponse refuse(HttpRefusal refusal) const override;
  void attend() override { sources_.attend(); }

 private:
  const Sources sources_;
  HttpRouter router_;
};

}  // namespace mcph
