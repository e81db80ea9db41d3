// HttpTool: one tool of the configuration. An immutable value; any number of threads may use one.
#pragma once

#include <chrono>
#include <string>

#include <mcp/plugin.hpp>

#include "http/exchange.hpp"
#include "http/reply_reader.hpp"
#include "http/request_template.hpp"
#include "http/secrets.hpp"
#include "http/settings.hpp"

namespace plugins::http {

class HttpTool {
 public:
  // Throws std::invalid_argument; its words begin with `place`.
  HttpTool(const ToolSettings& settings, const Secrets& secrets, const std::string& place);

  const std::string& name() const { return settings_.name; }
  const ToolSettings& settings() const { return settings_; }
  std::string input_schema() const;
  FetchLimits limits() const;
  std::chrono::seconds cache_time() const { return std::chrono::seconds(settings_.cache_seconds); }

  // See RequestTemplate::filled and ReplyReader::result.
  Request request(const mcp::Json& arguments, const Secrets& secrets) const;
  mcp::ToolResult result(const Response& response, const Request& request) const;

  // Title, hints and what else the configuration says of it.
  void describe(mcp::Tool& tool) const;

 private:
  ToolSettings settings_;
  RequestTemplate request_;
  ReplyReader reply_;
};

}  // namespace plugins::http
