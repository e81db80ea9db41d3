// The configuration of the plugin, http.json. Read in setup; immutable after.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include <mcp/plugin.hpp>

namespace plugins::http {

enum class Method { GET, POST, PUT, PATCH, DELETE };
enum class ResultType { json, text, image, audio, blob, link };
enum class TaskSupport { optional, required, forbidden };

struct SecretSettings {
  std::optional<std::string> file;
  std::optional<std::string> env;
};

struct RequestSettings {
  Method method = Method::GET;
  std::string url;
  std::optional<std::map<std::string, std::string>> headers;
  std::optional<mcp::Json> body;
  static constexpr auto fields() {
    return std::tuple{mcp::field("method", &RequestSettings::method).default_value(Method::GET),
                      mcp::field("url", &RequestSettings::url).max_length(8192),
                      mcp::field("headers", &RequestSettings::headers), mcp::field("body", &RequestSettings::body)};
  }
};

struct ResultSettings {
  ResultType type = ResultType::json;
  std::optional<std::string> pointer;
  std::optional<std::string> mime_type;
  bool allow_empty = false;
  static constexpr auto fields() {
    return std::tuple{mcp::field("type", &ResultSettings::type).default_value(ResultType::json),
                      mcp::field("pointer", &ResultSettings::pointer),
                      mcp::field("mimeType", &ResultSettings::mime_type),
                      mcp::field("allowEmpty", &ResultSettings::allow_empty).default_value(false)};
  }
};

struct AnnotationSettings {
  std::optional<bool> read_only;
  std::optional<bool> destructive;
  std::optional<bool> idempotent;
  std::optional<bool> open_world;
  static constexpr auto fields() {
    return std::tuple{mcp::field("readOnlyHint", &AnnotationSettings::read_only),
                      mcp::field("destructiveHint", &AnnotationSettings::destructive),
                      mcp::field("idempotentHint", &AnnotationSettings::idempotent),
                      mcp::field("openWorldHint", &AnnotationSettings::open_world)};
  }
};

struct ToolSettings {
  std::string name;
  std::optional<std::string> title;
  std::string description;
  std::optional<mcp::Json> input_schema;
  std::optional<mcp::Json> output_schema;
  std::optional<AnnotationSettings> annotations;
  std::optional<TaskSupport> task_support;
  RequestSettings request;
  std::optional<ResultSettings> result;
  int timeout_ms = 30'000;
  std::int64_t max_bytes = 4'194'304;
  std::optional<int> retries;
  int redirects = 0;
  int cache_seconds = 0;
  static constexpr auto fields() {
    return std::tuple{mcp::field("name", &ToolSettings::name),
                      mcp::field("title", &ToolSettings::title),
                      mcp::field("description", &ToolSettings::description),
                      mcp::field("inputSchema", &ToolSettings::input_schema),
                      mcp::field("outputSchema", &ToolSettings::output_schema),
                      mcp::field("annotations", &ToolSettings::annotations),
                      mcp::field("taskSupport", &ToolSettings::task_support),
                      mcp::field("request", &ToolSettings::request),
                      mcp::field("result", &ToolSettings::result),
                      mcp::field("timeoutMs", &ToolSettings::timeout_ms).min(1).max(3'600'000).default_value(30'000),
                      mcp::field("maxBytes", &ToolSettings::max_bytes).min(1).max(50'331'648).default_value(4'194'304),
                      mcp::field("retries", &ToolSettings::retries).min(0).max(10),
                      mcp::field("redirects", &ToolSettings::redirects).min(0).max(10).default_value(0),
                      mcp::field("cacheSeconds", &ToolSettings::cache_seconds).min(0).max(86'400).default_value(0)};
  }
};

struct Settings {
  std::optional<std::vector<std::string>> allow_addresses;
  std::optional<std::string> ca_file;
  std::optional<std::map<std::string, SecretSettings>> secrets;
  int concurrent = 16;
  std::optional<std::vector<ToolSettings>> tools;
  static constexpr auto fields() {
    return std::tuple{mcp::field("allowAddresses", &Settings::allow_addresses),
                      mcp::field("caFile", &Settings::ca_file), mcp::field("secrets", &Settings::secrets),
                      mcp::field("concurrent", &Settings::concurrent).min(1).max(256).default_value(16),
                      mcp::field("tools", &Settings::tools).max_items(256)};
  }
};

// What is wrong with the value at this place of the configuration: std::invalid_argument.
[[noreturn]] inline void refuse(const std::string& place, const std::string& why) {
  throw std::invalid_argument('"' + place + "\" " + why);
}

}  // namespace plugins::http
