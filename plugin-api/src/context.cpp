#include <algorithm>
#include <stdexcept>

#include <mcp/caller.h>
#include <mcp/plugin/app.hpp>
#include <mcp/plugin/context.hpp>
#include <mcp/plugin/detail/json_text.hpp>
#include <mcp/plugin/error.hpp>
#include <nlohmann/json.hpp>

#include "cancellation_text.hpp"
#include "host_text.hpp"
#include "unanswered.hpp"

namespace mcp {
namespace {

std::shared_ptr<const Json> responses_in(const Json& params) {
  const auto found = params.find("inputResponses");
  return found == params.end() ? nullptr : std::make_shared<const Json>(*found);
}

/// What `ask` makes the host write, which is an object; an empty one if it writes nothing.
template <class Ask>
Json object_of_host(const Ask& ask) {
  const std::string text = detail::answer_of_host(ask);
  return text.empty() ? Json::object() : parse_json(text);
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

void Context::throw_if_cancelled() const {
  const CancelReason reason = cancel_reason();
  if (reason != CancelReason::None) throw ToolError(detail::cancellation_text(reason));
}

Json Context::request_context() const {
  return object_of_host([&](const mcp_sink* sink) { host_->call_context(host_, call_, sink); });
}

std::optional<std::chrono::system_clock::time_point> Context::deadline() const {
  const Json context = request_context();
  const auto deadline = context.find("deadline");
  if (deadline == context.end()) return std::nullopt;
  return std::chrono::system_clock::time_point(std::chrono::milliseconds(deadline->get<std::int64_t>()));
}

std::optional<TraceContext> Context::trace() const {
  const Json context = request_context();
  const auto trace = context.find("trace");
  if (trace == context.end()) return std::nullopt;
  return TraceContext{.traceparent = trace->at("traceparent"),
                      .tracestate = trace->value("tracestate", ""),
                      .baggage = trace->value("baggage", "")};
}

Caller Context::caller() const {
  if (!MCP_HAS(host_, mcp_host, get_interface)) return {};
  const auto* const callers = static_cast<const mcp_caller*>(host_->get_interface(host_, MCP_CALLER));
  if (callers == nullptr || !MCP_HAS(callers, mcp_caller, describe)) return {};
  const Json caller = object_of_host([&](const mcp_sink* sink) { callers->describe(host_, call_, sink); });
  const auto principal = caller.find("principal");
  if (principal == caller.end()) return {};
  const auto texts = [&](const char* name) { return principal->value(name, std::vector<std::string>()); };
  const auto text = [&](const char* name) { return principal->value(name, std::string()); };
  return {.id = principal->at("id"),
          .groups = texts("groups"),
          .roles = texts("roles"),
          .scopes = texts("scopes"),
          .subject = text("subject"),
          .name = text("name"),
          .email = text("email")};
}

ElicitAction Context::elicit_url(std::string_view message, std::string_view url) {
  return detail::action_of(answer_to(web_page(message, url)));
}

Sampled Context::sample(const Sampling& request) {
  return Sampled(std::make_shared<const Json>(answer_to(request)));
}

std::vector<Root> Context::roots() {
  return detail::roots_of(answer_to(root_list()));
}

std::vector<ReadContent> Context::read_resource(std::string_view uri) {
  return detail::contents_of(answer_to(resource(uri)), std::string(uri));
}

Answers Context::ask(const InputRequests& requests) {
  detail::ObjectText unanswered;
  for (const auto& [name, request] : requests) {
    if (!input_responses_ || !input_responses_->contains(name)) unanswered.member(name, request.json());
  }
  if (!unanswered.empty()) leave_with(std::move(unanswered).text());
  return {input_responses_ ? input_responses_ : std::make_shared<const Json>(Json::object()), requests};
}

const Json& Context::answer_to(const InputRequest& request) {
  std::string name = detail::name_of(request);
  // The same request a second time is another one.
  if (const int before = asked_[name]++; before > 0) name += '-' + std::to_string(before + 1);
  if (input_responses_) {
    if (const auto found = input_responses_->find(name); found != input_responses_->end()) return *found;
  }
  leave_with(detail::ObjectText().member(name, request.json()).text());
}

void Context::leave_with(std::string requests) {
  has_asked_ = true;
  throw detail::Unanswered{std::move(requests)};
}

bool Context::shows_apps() const {
  const Json::json_pointer mime_types("/clientCapabilities/extensions/io.modelcontextprotocol~1ui/mimeTypes");
  const Json context = request_context();
  if (!context.contains(mime_types)) return false;
  const Json& types = context[mime_types];
  return std::find(types.begin(), types.end(), Json(app_mime_type)) != types.end();
}

Json Context::input_responses() const {
  return input_responses_ ? *input_responses_ : Json::object();
}

}  // namespace mcp
