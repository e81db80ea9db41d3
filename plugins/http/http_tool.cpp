#include "http/http_tool.hpp"

namespace plugins::http {
namespace {

using mcp::Json;

Json schema_of(const ToolSettings& settings) {
  return settings.input_schema.value_or(Json{{"type", "object"}, {"properties", Json::object()}});
}

// RFC 9110 section 9.2.2.
bool is_idempotent(Method method) {
  return method == Method::GET || method == Method::PUT || method == Method::DELETE;
}

mcp::TaskSupport task_support(TaskSupport support) {
  switch (support) {
    case TaskSupport::optional:
      return mcp::TaskSupport::Optional;
    case TaskSupport::required:
      return mcp::TaskSupport::Required;
    case TaskSupport::forbidden:
      break;
  }
  return mcp::TaskSupport::Forbidden;
}

ToolSettings checked(const ToolSettings& settings, const std::string& place) {
  if (settings.input_schema && !settings.input_schema->is_object()) {
    refuse(place + ".inputSchema", "must be a JSON Schema, {\"type\": \"object\", \"properties\": {}}");
  }
  if (settings.cache_seconds > 0 && settings.request.method != Method::GET) {
    refuse(place + ".cacheSeconds", "is for a GET only");
  }
  return settings;
}

}  // namespace

HttpTool::HttpTool(const ToolSettings& settings, const Secrets& secrets, const std::string& place)
    : settings_(checked(settings, place)),
      request_(settings.request, schema_of(settings), secrets, place + ".request"),
      reply_(settings.result.value_or(ResultSettings()), place + ".result") {}

std::string HttpTool::input_schema() const {
  return mcp::dump_json(schema_of(settings_));
}

FetchLimits HttpTool::limits() const {
  return {std::chrono::milliseconds(settings_.timeout_ms), static_cast<std::size_t>(settings_.max_bytes),
          settings_.retries.value_or(is_idempotent(settings_.request.method) ? 2 : 0), settings_.redirects};
}

Request HttpTool::request(const Json& arguments, const Secrets& secrets) const {
  return request_.filled(arguments, secrets);
}

mcp::ToolResult HttpTool::result(const Response& response, const Request& request) const {
  return reply_.result(response, request);
}

void HttpTool::describe(mcp::Tool& tool) const {
  const auto method = settings_.request.method;
  const auto hints = settings_.annotations.value_or(AnnotationSettings());
  if (hints.read_only.value_or(method == Method::GET)) tool.read_only();
  if (hints.idempotent.value_or(is_idempotent(method))) tool.idempotent();
  if (hints.destructive) tool.destructive(*hints.destructive);
  if (hints.open_world) tool.open_world(*hints.open_world);
  if (settings_.title) tool.title(*settings_.title);
  if (settings_.output_schema) tool.output_schema(mcp::dump_json(*settings_.output_schema));
  if (settings_.task_support) tool.task_support(task_support(*settings_.task_support));
}

}  // namespace plugins::http
