#include <mcp/plugin/context.hpp>
#include <nlohmann/json.hpp>

#include "host_text.hpp"

namespace mcp {
namespace {

std::shared_ptr<const Json> responses_in(const Json& params) {
  const auto found = params.find("inputResponses");
  return found == params.end() ? nullptr : std::make_shared<const Json>(*found);
}

}  // namespace

Context::Context(const mcp_host& host, mcp_call_id call, const Json& params)
    : host_(&host), call_(call), input_responses_(responses_in(params)) {}

void Context::progress(double fraction, std::string_view message) {
  progress(fraction, 1.0, message);
}

void Context::progress(double value, double total, std::string_view message) {
  host_->progress(host_, call_, value, total, detail::borrowed(message));
}

void Context::log(Level level, std::string_view message) {
  host_->log(host_, call_, static_cast<std::int32_t>(level), detail::borrowed(message));
}

CancelReason Context::cancel_reason() const {
  return static_cast<CancelReason>(host_->is_cancelled(host_, call_));
}

Json Context::caller() const {
  const std::string text =
      detail::answer_of_host([&](const mcp_sink* sink) { host_->call_context(host_, call_, sink); });
  return text.empty() ? Json::object() : parse_json(text);
}

Json Context::input_responses() const {
  return input_responses_ ? *input_responses_ : Json::object();
}

}  // namespace mcp
