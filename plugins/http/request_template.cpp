#include "http/request_template.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string_view>

#include "http/argument_text.hpp"
#include "shared/text.hpp"

namespace plugins::http {
namespace {

using mcp::Json;

// Those that say how long the message is and where it ends are libcurl's.
constexpr std::array<std::string_view, 6> own_headers{"connection", "content-length", "expect",
                                                      "te",         "trailer",        "transfer-encoding"};

bool is_token_character(char c) {
  constexpr std::string_view marks = "!#$%&'*+-.^_`|~";
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         marks.find(c) != std::string_view::npos;
}

bool is_field_character(char c) {
  return c == '\t' || (static_cast<unsigned char>(c) >= ' ' && c != 0x7f);
}

bool is_field_value(std::string_view text) {
  return std::all_of(text.begin(), text.end(), is_field_character);
}

std::string method_text(Method method) {
  switch (method) {
    case Method::GET:
      return "GET";
    case Method::POST:
      return "POST";
    case Method::PUT:
      return "PUT";
    case Method::PATCH:
      return "PATCH";
    case Method::DELETE:
      break;
  }
  return "DELETE";
}

UrlTemplate url_of(const RequestSettings& settings, const std::string& place) {
  try {
    return UrlTemplate(settings.url);
  } catch (const std::invalid_argument& error) {
    refuse(place + ".url", error.what());
  }
}

void require_known(const std::vector<std::string>& names, const Json& input_schema, const Secrets& secrets,
                   const std::string& place) {
  const auto properties = input_schema.value("properties", Json::object());
  for (const auto& name : names) {
    if (name.starts_with(secret_prefix)) {
      if (!secrets.has(name.substr(secret_prefix.size())))
        refuse(place, "has {" + name + "}, which \"configuration.secrets\" does not have");
    } else if (!properties.is_object() || !properties.contains(name)) {
      refuse(place, "has {" + name + "}, which is no property of the tool's inputSchema");
    }
  }
}

bool has_secret(const TextTemplate& text) {
  const auto& parts = text.parts();
  return std::any_of(parts.begin(), parts.end(),
                     [](const auto& part) { return part.is_value && part.text.starts_with(secret_prefix); });
}

}  // namespace

RequestTemplate::RequestTemplate(const RequestSettings& settings, const Json& input_schema, const Secrets& secrets,
                                 const std::string& place)
    : method_(method_text(settings.method)), url_(url_of(settings, place)) {
  require_known(url_.names(), input_schema, secrets, place + ".url");
  if (settings.headers) {
    for (const auto& [name, value] : *settings.headers) {
      add_header(name, value, place + ".headers." + name);
      require_known(headers_.back().second.names(), input_schema, secrets, place + ".headers." + name);
    }
  }
  if (!settings.body) return;
  if (settings.method == Method::GET) refuse(place + ".body", "must not be there: a GET has none");
  body_.emplace(*settings.body, place + ".body");
  require_known(body_->names(), input_schema, secrets, place + ".body");
}

void RequestTemplate::add_header(const std::string& name, const std::string& value, const std::string& place) {
  if (name.empty() || !std::all_of(name.begin(), name.end(), is_token_character)) refuse(place, "is no header's name");
  if (std::find(own_headers.begin(), own_headers.end(), lower_case(name)) != own_headers.end()) {
    refuse(place, "must not be there: the plugin says it itself");
  }
  if (!is_field_value(value)) refuse(place, "must be one line");
  try {
    headers_.emplace_back(name, TextTemplate(value));
  } catch (const std::invalid_argument& error) {
    refuse(place, error.what());
  }
}

Request RequestTemplate::filled(const Json& arguments, const Secrets& secrets) const {
  Request request{method_, {}, {}, {}, {}};
  const auto value = [&](const std::string& name) -> Json {
    if (!name.starts_with(secret_prefix)) {
      const auto found = arguments.find(name);
      return found == arguments.end() ? Json() : *found;
    }
    return request.secrets.emplace_back(secrets.value(name.substr(secret_prefix.size())));
  };
  request.url = url_.filled(value);
  for (const auto& [name_of_header, text] : headers_) {
    const auto& header = name_of_header;  // which a lambda may use
    const auto part = [&](const std::string& name) -> std::optional<std::string> {
      const auto given = value(name);
      if (given.is_null()) return std::nullopt;
      auto written = argument_text(name, given);
      if (is_field_value(written)) return written;
      throw mcp::ToolError("The argument \"" + name + "\" must not have line breaks or other control characters, " +
                           "because it stands in the header " + header + '.');
    };
    // One whose argument is not given is not sent.
    if (auto filled = text.filled(part)) request.headers.push_back({header, *std::move(filled), has_secret(text)});
  }
  if (body_) request.body = mcp::dump_json(body_->filled(value));
  return request;
}

std::string Request::key() const {
  auto key = method + ' ' + url;
  for (const auto& header : headers)
    key += '\n' + header.name + ": " + header.value;
  return key + "\n\n" + body.value_or("");
}

}  // namespace plugins::http
