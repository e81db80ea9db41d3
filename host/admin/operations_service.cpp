#include "admin/operations_service.hpp"

#include <string_view>
#include <utility>

#include "http/connection.hpp"
#include "runtime/executor.hpp"

namespace mcph {
namespace {

// To gather it may take milliseconds, and so it is done where no client waits.
Coroutine<> respond_with(const std::function<std::string()>& source, std::string_view content_type,
                         HttpConnection& connection) {
  HttpResponse response{.content_type = content_type, .fields = {{"Cache-Control", "no-store"}}};
  const std::function<void()> gather = [&] { response.body = source(); };
  co_await connection.work_on(Executor::max_quick_bytes + 1, gather);
  co_await connection.respond(std::move(response));
}

HttpResource document_of(std::string path, const std::function<std::string()>& source, std::string_view content_type) {
  return document(std::move(path), [&source, content_type](HttpRequest&, HttpConnection& connection) {
    return respond_with(source, content_type, connection);
  });
}

}  // namespace

OperationsService::OperationsService(HttpAccess access, Sources sources)
    : sources_(std::move(sources)),
      router_(std::move(access), {.status = 404,
                                  .body = "Not found. There are /metrics, /status, /livez and /readyz\n",
                                  .content_type = "text/plain"}) {
  for (auto& resource : health_resources(sources_.readiness))
    router_.add(std::move(resource));
  router_.add(document_of("/status", sources_.status, "application/json"));
  router_.add(document_of("/metrics", sources_.metrics, "text/plain; version=0.0.4; charset=utf-8"));
}

HttpResponse OperationsService::refuse(HttpRefusal refusal) const {
  return {.status = refusal.status,
          .body = std::move(refusal.message) + "\n",
          .content_type = "text/plain",
          .fields = std::move(refusal.fields)};
}

}  // namespace mcph
