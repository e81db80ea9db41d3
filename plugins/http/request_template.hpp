// RequestTemplate: what a tool sends, with places for arguments and secrets. An immutable value.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <mcp/plugin.hpp>

#include "http/exchange.hpp"
#include "http/json_template.hpp"
#include "http/secrets.hpp"
#include "http/settings.hpp"
#include "http/url_template.hpp"
#include "shared/text_template.hpp"

namespace plugins::http {

class RequestTemplate {
 public:
  // Throws std::invalid_argument for what cannot be sent, and for places whose names are neither properties of the
  // schema nor secrets; its words begin with `place`.
  RequestTemplate(const RequestSettings& settings, const mcp::Json& input_schema, const Secrets& secrets,
                  const std::string& place);

  // Throws mcp::ToolError for arguments that cannot stand where they should, std::runtime_error for a secret that
  // cannot be had.
  Request filled(const mcp::Json& arguments, const Secrets& secrets) const;

 private:
  void add_header(const std::string& name, const std::string& value, const std::string& place);

  std::string method_;
  UrlTemplate url_;
  std::vector<std::pair<std::string, TextTemplate>> headers_;
  std::optional<JsonTemplate> body_;
};

}  // namespace plugins::http
