#include "protocol/legacy/legacy_era.hpp"

#include <algorithm>
#include <utility>

#include "base/json_text.hpp"
#include "protocol/calls/completion.hpp"
#include "protocol/calls/rejection_record.hpp"
#include "protocol/capabilities.hpp"
#include "protocol/error_reply.hpp"
#include "protocol/legacy/legacy_content.hpp"
#include "protocol/legacy/legacy_input_requests.hpp"
#include "protocol/request_meta.hpp"
#include "protocol/result_members.hpp"
#include "protocol/state/resource_subscriptions.hpp"

namespace mcph {
namespace {

// Since this revision wrong arguments are a tool error, which the model can read and mend (2025-11-25, changelog).
constexpr std::string_view arguments_are_tool_errors_since = "2025-11-25";

// Of what a client says about itself, which lives as long as its session: bytes of text, and values, keys among them,
// because each takes much more memory than `{}` has text.
constexpr std::size_t max_remembered_bytes = 16'384;
constexpr std::size_t max_remembered_values = 500;

int code_of(Rejection::Reason reason) {
  switch (reason) {
    case Rejection::Reason::unknown_resource:
      return error_code::resource_not_found;
    case Rejection::Reason::not_permitted:
      return error_code::not_permitted;
    case Rejection::Reason::limited:
      return error_code::limited;
    default:
      return error_code::invalid_params;
  }
}

Reply tool_error_reply(std::string_view id, std::string_view message) {
  return {.body = result_response(id, "{" + tool_error_members(message) + "}"), .is_tool_error = true};
}

}  // namespace

LegacyEra::LegacyEra(PublishedCatalog& catalog, const ServerIdentity& identity, const ServingOptions& options,
                     Timers& timers, Log& log, CallObserver* observer)
    : catalog_(catalog),
      options_(options),
      timers_(timers),
      identity_(dump(identity.brief())),
      full_identity_(dump(identity.full())),
      call_log_(log),
      observer_(observer) {}

bool LegacyEra::is_revision(std::string_view version) {
  return std::find(revisions.begin(), revisions.end(), version) != revisions.end();
}

LegacyEra::Handler LegacyEra::find_handler(std::optional<Method> method) {
  struct Entry {
    Method method;
    Handler handler;
  };
  static constexpr std::array table{
      Entry{Method::tools_call, &LegacyEra::call_tool},
      Entry{Method::tools_list, &LegacyEra::list_tools},
      Entry{Method::resources_read, &LegacyEra::read_resource},
      Entry{Method::resources_list, &LegacyEra::list_resources},
      Entry{Method::resources_templates_list, &LegacyEra::list_resource_templates},
      Entry{Method::prompts_get, &LegacyEra::get_prompt},
      Entry{Method::prompts_list, &LegacyEra::list_prompts},
      Entry{Method::completion_complete, &LegacyEra::complete_argument},
      Entry{Method::resources_subscribe, &LegacyEra::subscribe},
      Entry{Method::resources_unsubscribe, &LegacyEra::unsubscribe},
      Entry{Method::logging_set_level, &LegacyEra::set_log_level},
      Entry{Method::ping, &LegacyEra::ping},
  };
  for (const auto& entry : table) {
    if (entry.method == method) return entry.handler;
  }
  return nullptr;
}

Result<Caller, RpcError> LegacyEra::negotiate(JsonValue params) {
  const auto invalid = [](const std::string& what) {
    return RpcError{error_code::invalid_params, "Invalid params: " + what};
  };
  const auto version = params.find("protocolVersion");
  if (!version.is_string()) return invalid("initialize needs the string protocolVersion");
  const auto declared = params.find("capabilities");
  if (declared && !declared.is_object()) return invalid("capabilities must be an object");
  const auto implementation = params.find("clientInfo");
  const auto icons = implementation.find("icons");
  if (declared.values() + implementation.values() - icons.values() > max_remembered_values)
    return invalid("clientInfo and capabilities have more than " + std::to_string(max_remembered_values) +
                   " values together");
  auto client = without_icons(implementation);
  auto capabilities = declared ? declared.json() : Json::object();
  if (dump(client).size() + dump(capabilities).size() > max_remembered_bytes)
    return invalid("clientInfo and capabilities have more than " + std::to_string(max_remembered_bytes) +
                   " bytes together");
  auto requested = version.string();
  return Caller{is_revision(requested) ? std::move(requested) : std::string(revisions.front()), std::move(client),
                std::move(capabilities)};
}

Reply LegacyEra::initialize_reply(std::string_view id, const Caller& caller) const {
  const auto catalog = catalog_.current(caller.principal);
  std::string result = R"({"protocolVersion":")" + caller.protocol_version + R"(","capabilities":)" +
                       server_capabilities(*catalog, options_.extensions) + R"(,"serverInfo":)" +
                       (caller.protocol_version == revisions.front() ? full_identity_ : identity_);
  if (!catalog->instructions().empty()) {
    result += R"(,"instructions":)";
    append_json_string(result, catalog->instructions());
  }
  return {result_response(id, result + "}")};
}

void LegacyEra::handle(const Message& message, const std::shared_ptr<Session>& session, const RequestContext& context,
                       const std::shared_ptr<Exchange>& exchange) {
  const auto caller = session->caller_as(context.principal);
  if (observer_ != nullptr) exchange->note_caller(caller);
  const auto handler = find_handler(message.method);
  if (handler == nullptr) {
    return exchange->reply(
        error(message.id, {error_code::method_not_found, "Method not found: " + message.method_name}));
  }
  session->requests().add(message.id, context.principal, exchange);
  Request request{message.id, message.method_name, message.params, session, caller, exchange};
  request.component = call_log_.component_of(message);
  request.limits = context.limits;
  (this->*handler)(std::move(request));
}

void LegacyEra::take(const Message& notification, Session& session) {
  if (notification.method == Method::notifications_initialized) return session.initialized();
  if (notification.method != Method::notifications_cancelled) return;
  const auto id = id_text(notification.params.find("requestId"));
  if (const auto exchange = session.requests().find(id)) exchange->abandon();
}

std::shared_ptr<const Catalog> LegacyEra::view_of(const Request& request) const {
  return catalog_.current(request.caller->principal);
}

void LegacyEra::ping(Request&& request) {
  request.exchange->reply({result_response(request.id, "{}")});
}

void LegacyEra::list_tools(Request&& request) {
  list(request, view_of(request)->legacy_tools(), "tools");
}

void LegacyEra::list_resources(Request&& request) {
  list(request, view_of(request)->resources(), "resources");
}

void LegacyEra::list_resource_templates(Request&& request) {
  list(request, view_of(request)->resource_templates(), "resourceTemplates");
}

void LegacyEra::list_prompts(Request&& request) {
  list(request, view_of(request)->prompts(), "prompts");
}

void LegacyEra::list(const Request& request, const ComponentList& components, std::string_view field) const {
  const auto members = list_members(components, field, request.params, options_.page_size);
  if (members.has_error()) {
    const RpcError error{error_code::invalid_params, "Invalid cursor: " + members.error().message};
    return request.exchange->reply(error_reply(request.id, error));
  }
  request.exchange->reply({result_response(request.id, "{" + *members + "}")});
}

void LegacyEra::call_tool(Request&& request) {
  perform(std::move(request), plan_tool_call);
}

void LegacyEra::read_resource(Request&& request) {
  perform(std::move(request), plan_resource_read);
}

void LegacyEra::get_prompt(Request&& request) {
  perform(std::move(request), plan_prompt_get);
}

void LegacyEra::set_log_level(Request&& request) {
  const auto name = request.params.find("level").json();
  const auto level = read_log_level(name);
  if (!level) return request.exchange->reply(error_reply(request.id, unknown_log_level(name)));
  request.session->log_threshold()->store(*level);
  request.exchange->reply({result_response(request.id, "{}")});
}

void LegacyEra::subscribe(Request&& request) {
  auto read = read_subscribed_uri(*view_of(request), request.params);
  if (read.has_error()) {
    note_rejection(read.error(), catalog_, *request.exchange);
    return refuse(request.id, *request.caller, *request.exchange, read.error());
  }
  const auto subscribed = request.session->subscribe(*read, catalog_);
  if (subscribed.has_error()) {
    return request.exchange->reply(error_reply(request.id, {error_code::internal_error, subscribed.error().message}));
  }
  request.exchange->reply({result_response(request.id, "{}")});
}

void LegacyEra::unsubscribe(Request&& request) {
  auto read = read_unsubscribed_uri(request.params);
  if (read.has_error()) return refuse(request.id, *request.caller, *request.exchange, read.error());
  request.session->unsubscribe(*read);
  request.exchange->reply({result_response(request.id, "{}")});
}

void LegacyEra::complete_argument(Request&& request) {
  auto planned = plan_completion(*view_of(request), request.params);
  if (planned) return perform(std::move(request), *std::move(planned));
  request.exchange->reply({result_response(request.id, "{" + std::string(no_completion) + "}")});
}

void LegacyEra::perform(Request&& request, Plan plan) {
  auto planned = plan(*view_of(request), request.params);
  perform(std::move(request), std::move(planned));
}

void LegacyEra::perform(Request&& request, Planned planned) {
  planned = within_limits(std::move(planned), request.limits);
  if (planned.has_value()) {
    const auto& session = request.session;
    if (observer_ != nullptr) request.exchange->note_served(planned->plugin->identity().name);
    auto span = observer_ == nullptr ? nullptr : request.exchange->span();
    return PluginCall::begin(*std::move(planned),
                             {.id = std::move(request.id),
                              .caller = std::move(request.caller),
                              .log_threshold = session->log_threshold(),
                              .session = session,
                              .span = std::move(span)},
                             request.exchange, *this);
  }
  auto rejection = planned.error();
  call_log_.refused(request.method_name, request.component, rejection.message);
  note_rejection(rejection, catalog_, *request.exchange);
  if (observer_ != nullptr && rejection.is_of_served()) request.exchange->note_served({});
  refuse(request.id, *request.caller, *request.exchange, std::move(rejection));
}

void LegacyEra::refuse(std::string_view id, const Caller& caller, Exchange& exchange, Rejection rejection) {
  if (rejection.reason == Rejection::Reason::invalid_arguments &&
      caller.protocol_version >= arguments_are_tool_errors_since) {
    return exchange.reply(tool_error_reply(id, rejection.message));
  }
  const RpcError error{code_of(rejection.reason), std::move(rejection.message), std::move(rejection.data),
                       std::move(rejection.scopes), std::move(rejection.limit)};
  exchange.reply(error_reply(id, error));
}

Reply LegacyEra::result(const CallOrigin& origin, PluginMethod, JsonValue result) const {
  const auto& revision = origin.caller->protocol_version;
  if (result.is_one_line() && fits_revision(result, revision)) return {result_response(origin.id, result.text())};
  auto tree = result.json();
  fit_to_revision(tree, revision);
  return {result_response(origin.id, dump(tree))};
}

Reply LegacyEra::error(std::string_view id, const RpcError& error) const {
  return error_reply(id, error);
}

void LegacyEra::ask(SuspendedCall call, OrderedJson input_requests) const {
  if (const auto why_not = fit_input_requests(input_requests, *call.origin.caller))
    return give_up(call, {*why_not, error_code::invalid_params});
  // Until the call goes on, or its client is gone.
  auto keep = [budget = suspended_, share = std::make_shared<MemoryBudget::Share>(),
               bytes = memory_of(call) + memory_of(input_requests)](std::size_t more) mutable {
    bytes += more;
    return share->grow(budget, bytes);
  };
  const auto no_room = "The server keeps as much as it may, " + std::to_string(suspended_->limit()) +
                       " bytes, for calls that wait for their clients; try again later, or with less";
  if (!keep(0)) return give_up(call, {no_room});
  call.exchange->release_memory();  // what is kept has a bound of its own
  const auto pending = call.origin.session->input_requests();
  const auto exchange = call.exchange;
  const auto awaited = call.origin.rounds.awaited;
  const auto number = pending->ask(input_requests, exchange, timers_, options_.answer_time, {std::move(keep), no_room},
                                   [this, call = std::move(call)](const PendingInputRequests::Answers& answers) {
                                     if (const auto* why = std::get_if<PendingInputRequests::NoAnswers>(&answers))
                                       return give_up(call, *why);
                                     go_on(call, std::get<Json>(answers));
                                   });
  if (awaited == nullptr || number == 0) return;
  awaited->when_withdrawn([weak = std::weak_ptr(pending), number] {
    if (const auto asked = weak.lock()) asked->withdraw(number);
  });
}

void LegacyEra::go_on(const SuspendedCall& call, const Json& answers) const {
  const auto resumed = resume(call, answers, *catalog_.current(call.origin.caller->principal), *this);
  if (resumed.has_value()) return;
  call_log_.refused(name_of(call.method), call.component, resumed.error().message);
  note_rejection(resumed.error(), catalog_, *call.exchange);
  refuse(call.origin.id, *call.origin.caller, *call.exchange, resumed.error());
}

void LegacyEra::give_up(const SuspendedCall& call, const PendingInputRequests::NoAnswers& no_answers) const {
  const auto& [why, code, message] = no_answers;
  call_log_.refused(name_of(call.method), call.component, why);
  if (const auto& awaited = call.origin.rounds.awaited) awaited->fail(code, message.empty() ? why : message);
  if (call.method == PluginMethod::tools_call) {
    return call.exchange->reply(tool_error_reply(call.origin.id, why));
  }
  call.exchange->reply(error(call.origin.id, {error_code::internal_error, why}));
}

}  // namespace mcph
