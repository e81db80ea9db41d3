#include "http/health.hpp"

#include <utility>

#include "base/json_text.hpp"
#include "http/connection.hpp"

namespace mcph {
namespace {

HttpResponse health_response(unsigned status, std::string_view word, const std::vector<std::string>& degraded) {
  auto body = R"({"status":")" + std::string(word) + '"';
  for (std::size_t i = 0; i < degraded.size(); ++i) {
    body += i == 0 ? R"(,"degraded":[)" : ",";
    append_json_string(body, degraded[i]);
  }
  body += degraded.empty() ? "}\n" : "]}\n";
  HttpResponse response{.status = status, .body = std::move(body), .fields = {{"Cache-Control", "no-store"}}};
  if (status != 200) response.fields.emplace_back("Retry-After", "1");
  return response;
}

}  // namespace

std::vector<HttpResource> health_resources(std::function<Readiness()> readiness) {
  std::vector<HttpResource> resources;
  resources.push_back(document("/livez", [](HttpRequest&, HttpConnection& connection) {
    return connection.respond(health_response(200, "alive", {}));
  }));
  resources.push_back(document("/readyz", [readiness = std::move(readiness)](HttpRequest&, HttpConnection& connection) {
    const auto now = readiness();
    const bool ready = now.why_not.empty();
    return connection.respond(health_response(ready ? 200 : 503, ready ? "ready" : now.why_not, now.degraded));
  }));
  return resources;
}

}  // namespace mcph
