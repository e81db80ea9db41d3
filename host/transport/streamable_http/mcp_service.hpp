// What an HTTP server of MCP serves: one server of MCP or several, each at its path, and what is found beside them.
// Owned by HttpHost; any thread once it serves.
#pragma once

#include <string_view>
#include <vector>

#include "http/router.hpp"
#include "http/service.hpp"
#include "transport/streamable_http/streamable_http.hpp"

namespace mcph {

class McpService final : public HttpService {
 public:
  explicit McpService(HttpAccess access);

  // Says where each request comes from, whichever server it is for.
  void locate_by(HttpMiddleware middleware) { router_.locate_by(std::move(middleware)); }
  // Before it serves. What is added outlives it. The first server is asked for the methods of all, too.
  void add(StreamableHttp& server);
  void add(HttpResource resource) { router_.add(std::move(resource)); }
  // Hears of each request that is not admitted.
  void when_refused(HttpRefusalListener listener) { router_.when_refused(std::move(listener)); }

  Coroutine<> serve(HttpRequest& request, HttpConnection& connection) override {
    return router_.route(request, connection);
  }
  HttpResponse refuse(HttpRefusal refusal) const override;
  MakeBodyScanner body_scanner() const override;
  std::string_view fields() const override;
  HttpCors cors() const override;
  void attend() override;
  void shut_down() override;

 private:
  HttpRouter router_;
  std::vector<StreamableHttp*> servers_;
};

}  // namespace mcph
