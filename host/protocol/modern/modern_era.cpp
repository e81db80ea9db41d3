#include "protocol/modern/modern_era.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "base/json_text.hpp"
#include "protocol/calls/completion.hpp"
#include "protocol/calls/rejection_record.hpp"
#include "protocol/capabilities.hpp"
#include "protocol/modern/modern_replies.hpp"
#include "protocol/request_meta.hpp"
#include "protocol/result_members.hpp"
#include "protocol/state/returned_answers.hpp"
#include "protocol/state/subscription.hpp"

namespace mcph {
namespace {

// A plugin's code as this revision lets it out (basic, "Error Codes"): the protocol's own codes are not a plugin's to
// give, because clients act on them, and an older one has become another.
int allowed_code(int code) {
  constexpr int reserved_first = -32099;
  constexpr int reserved_last = -32020;
  if (code == error_code::resource_not_found) return error_code::invalid_params;
  return code >= reserved_first && code <= reserved_last ? error_code::internal_error : code;
}

int code_of_rejection(Rejection::Reason reason) {
  switch (reason) {
    case Rejection::Reason::header_mismatch:
      return error_code::header_mismatch;
    case Rejection::Reason::not_permitted:
      return error_code::not_permitted;
    case Rejection::Reason::limited:
      return error_code::limited;
    default:
      return error_code::invalid_params;
  }
}

// The plugin's text with further members in front, if that makes one line of valid JSON.
bool can_prepend_members(JsonValue result) {
  return !result.contains("_meta") && !result.contains("resultType") && result.is_object() && result.is_one_line();
}

// The text between its braces.
std::string_view members_of(JsonValue object) {
  const auto text = object.text();
  return text.substr(1, text.size() - 2);
}

// What every complete result begins with, for one whose own members keep it from being put before its text.
Json with_opening(JsonValue result, std::string_view identity) {
  auto tree = result.json();
  tree["resultType"] = "complete";
  tree["_meta"][meta_key::server_info] = read_json(identity);
  return tree;
}

// What it has instead of what it may have, the URIs aside, which are looked at one by one.
std::optional<std::string> mistake_in_filter(const Json& filter) {
  for (const auto* const kind : {"toolsListChanged", "promptsListChanged", "resourcesListChanged"}) {
    if (const auto found = filter.find(kind); found != filter.end() && !found->is_boolean())
      return std::string(kind) + " must be true or false";
  }
  const auto tasks = filter.find("taskIds");
  if (tasks == filter.end()) return std::nullopt;
  const bool are_texts =
      tasks->is_array() && std::ranges::all_of(*tasks, [](const Json& id) { return id.is_string(); });
  return are_texts ? std::nullopt : std::optional<std::string>("taskIds must be an array of strings");
}

// The revision has none (changelog). A server of an older one, or a plugin, may send it.
void drop_elicitation_ids(OrderedJson& input_requests) {
  for (auto& request : input_requests) {
    if (method_of(request) == Method::elicitation_create) request["params"].erase("elicitationId");
  }
}

// Beside the requests that carry it, whose bodies are bounded.
constexpr std::size_t max_state_bytes = std::size_t{1} << 20;

}  // namespace

ModernEra::ModernEra(PublishedCatalog& catalog, const ServerIdentity& identity, const ServingOptions& options,
                     Timers& timers, Log& log, CallObserver* observer)
    : catalog_(catalog),
      options_(options),
      state_(options.state_key, options.answer_time),
      identity_(dump(identity.brief())),
      full_identity_(dump(identity.full())),
      opening_(R"({"resultType":"complete","_meta":{")" + std::string(meta_key::server_info) + R"(":)" + identity_ +
               "}"),
      caching_(R"("ttlMs":)" + std::to_string(options.list_freshness.count()) + R"(,"cacheScope":)"),
      tasks_(options.tasks, timers, R"({")" + std::string(meta_key::server_info) + R"(":)" + identity_ + "}"),
      call_log_(log),
      observer_(observer) {}

ModernEra::Handler ModernEra::find_handler(std::optional<Method> method) {
  struct Entry {
    Method method;
    Handler handler;
  };
  static constexpr std::array table{
      Entry{Method::tools_call, &ModernEra::call_tool},
      Entry{Method::tasks_get, &ModernEra::get_task},
      Entry{Method::tasks_update, &ModernEra::update_task},
      Entry{Method::tasks_cancel, &ModernEra::cancel_task},
      Entry{Method::tools_list, &ModernEra::list_tools},
      Entry{Method::resources_read, &ModernEra::read_resource},
      Entry{Method::resources_list, &ModernEra::list_resources},
      Entry{Method::resources_templates_list, &ModernEra::list_resource_templates},
      Entry{Method::prompts_get, &ModernEra::get_prompt},
      Entry{Method::prompts_list, &ModernEra::list_prompts},
      Entry{Method::completion_complete, &ModernEra::complete_argument},
      Entry{Method::server_discover, &ModernEra::discover},
      Entry{Method::subscriptions_listen, &ModernEra::listen},
  };
  for (const auto& entry : table) {
    if (entry.method == method) return entry.handler;
  }
  return nullptr;
}

void ModernEra::handle(const Message& message, const RequestContext& context, const std::shared_ptr<Exchange>& exchange,
                       const std::shared_ptr<NotificationStream>& output) {
  Request request{message.id, message.params, {}, {}, exchange, output, context.mirrored, context.limits};
  if (const auto checked = check(message, request, context.principal); checked.has_error()) {
    call_log_.refused(message.method_name, call_log_.component_of(message), checked.error().message);
    return exchange->reply(error_reply(request.id, checked.error(), ReplyStatus::invalid));
  }
  const auto handler = find_handler(message.method);
  if (handler == nullptr) {
    const RpcError error{error_code::method_not_found, "Method not found: " + message.method_name};
    return exchange->reply(error_reply(request.id, error, ReplyStatus::not_found));
  }
  if (observer_ != nullptr) exchange->note_caller(request.caller);
  request.method_name = message.method_name;
  request.component = call_log_.component_of(message);
  (this->*handler)(std::move(request));
}

Result<void, RpcError> ModernEra::check(const Message& message, Request& request, const Principal& principal) {
  const auto read = read_version(message.params);
  if (read.has_error()) return read.error();
  const auto& version = *read;
  if (request.mirrored != nullptr) {
    if (auto checked = request.mirrored->check_version(version); checked.has_error()) return checked;
  }
  if (version != revision) {
    return RpcError{error_code::unsupported_protocol_version,
                    "Unsupported protocol version",
                    {{"supported", supported_revisions()}, {"requested", version}}};
  }
  if (auto checked = check_meta(message.params); checked.has_error()) return checked;
  auto level = read_log_level_in(message.params);
  if (level.has_error()) return level.error();
  if (const auto wanted = *level) {
    request.log_threshold = std::make_shared<const LogThreshold>(*wanted);
  }
  auto taken = read_caller(message.params);
  if (taken.has_error()) return taken.error();
  auto& caller = *taken;
  caller.principal = principal;
  request.caller = std::make_shared<const Caller>(std::move(caller));
  return request.mirrored == nullptr ? Result<void, RpcError>() : request.mirrored->check(message);
}

std::shared_ptr<const Catalog> ModernEra::view_of(const Request& request) const {
  return catalog_.current(request.caller->principal);
}

// Where policy decides what is there, a list is for its reader alone (server/utilities/caching).
bool ModernEra::is_for_all(const Catalog& view) const {
  return view.is_whole() && !catalog_.is_governed();
}

std::string ModernEra::caching(const Catalog& view) const {
  return caching_ + (is_for_all(view) ? R"("public")" : R"("private")");
}

void ModernEra::discover(Request&& request) {
  const auto view = view_of(request);
  std::string members = R"("supportedVersions":)" + dump(supported_revisions()) + R"(,"capabilities":)" +
                        modern_server_capabilities(*view, options_.extensions) + "," + caching(*view);
  if (!view->instructions().empty()) {
    members += R"(,"instructions":)";
    append_json_string(members, view->instructions());
  }
  // Who this is, at length; other answers say it in brief.
  request.exchange->reply(
      {result_response(request.id, R"({"resultType":"complete","_meta":{")" + std::string(meta_key::server_info) +
                                       R"(":)" + full_identity_ + "}," + members + "}")});
}

void ModernEra::list_tools(Request&& request) {
  list(request, &Catalog::tools, "tools");
}

void ModernEra::list_resources(Request&& request) {
  list(request, &Catalog::resources, "resources");
}

void ModernEra::list_resource_templates(Request&& request) {
  list(request, &Catalog::resource_templates, "resourceTemplates");
}

void ModernEra::list_prompts(Request&& request) {
  list(request, &Catalog::prompts, "prompts");
}

void ModernEra::list(const Request& request, List which, std::string_view field) const {
  const auto view = view_of(request);
  const auto members = list_members(((*view).*which)(), field, request.params, options_.page_size);
  if (members.has_error()) {
    const RpcError error{error_code::invalid_params, "Invalid cursor: " + members.error().message};
    return request.exchange->reply(error_reply(request.id, error));
  }
  request.exchange->reply(complete(request.id, {caching(*view), *members}));
}

void ModernEra::call_tool(Request&& request) {
  perform(std::move(request), plan_tool_call);
}

void ModernEra::read_resource(Request&& request) {
  perform(std::move(request), [](const Catalog& catalog, JsonValue params, const MirroredFields*) {
    return plan_resource_read(catalog, params);
  });
}

void ModernEra::get_prompt(Request&& request) {
  perform(std::move(request), [](const Catalog& catalog, JsonValue params, const MirroredFields*) {
    return plan_prompt_get(catalog, params);
  });
}

void ModernEra::complete_argument(Request&& request) {
  auto planned = plan_completion(*view_of(request), request.params);
  if (!planned) return request.exchange->reply(complete(request.id, {no_completion}));
  begin(std::move(request), *std::move(planned), {});
}

void ModernEra::perform(Request&& request, Plan plan) {
  const auto returned = returned_answers_in(request.params);
  auto planned = plan(*view_of(request), request.params, request.mirrored);
  begin(std::move(request), std::move(planned), returned);
}

void ModernEra::begin(Request&& request, Planned planned, const ReturnedAnswers& returned) {
  if (planned.has_error()) return reject(request, planned.error());
  if (observer_ != nullptr) request.exchange->note_served(planned->plugin->identity().name);
  EarlierRounds rounds;
  if (returned.any()) {
    auto read = read_returned_answers(returned, state_, purpose_of(planned->method, planned->params, *request.caller));
    if (read.has_error()) {
      const RpcError error{error_code::invalid_params, "Invalid params: " + read.error().message};
      return refuse(request, error.message, error_reply(request.id, error));
    }
    rounds = *std::move(read);
  }
  const bool knows_tasks = Tasks::are_known_to(*request.caller);
  if (!knows_tasks && planned->task_support == TaskSupport::required) {
    return refuse(request, "its tool needs a client that knows tasks", tasks_required_reply(request.id));
  }
  // Last, because what is refused for another reason does not count.
  planned = within_limits(std::move(planned), request.limits);
  if (planned.has_error()) return reject(request, planned.error());
  auto& call = *planned;
  std::shared_ptr<Task> task;
  if (knows_tasks && call.task_support != TaskSupport::forbidden) {
    task = tasks_.watch(request.exchange, request.id, *request.caller, call.task_support, call.component);
  }
  const auto exchange = task != nullptr ? std::static_pointer_cast<Exchange>(task) : request.exchange;
  auto span = observer_ == nullptr ? nullptr : request.exchange->span();
  PluginCall::begin(std::move(call),
                    {.id = std::move(request.id),
                     .caller = std::move(request.caller),
                     .log_threshold = std::move(request.log_threshold),
                     .task = std::move(task),
                     .rounds = std::move(rounds),
                     .span = std::move(span)},
                    exchange, *this);
}

void ModernEra::reject(const Request& request, Rejection rejection) const {
  note_rejection(rejection, catalog_, *request.exchange);
  const auto why = rejection.message;
  if (observer_ != nullptr && rejection.is_of_served()) request.exchange->note_served({});
  refuse(request, why, rejection_reply(request.id, std::move(rejection)));
}

void ModernEra::refuse(const Request& request, std::string_view why, Reply reply) const {
  call_log_.refused(request.method_name, request.component, why);
  request.exchange->reply(std::move(reply));
}

Reply ModernEra::rejection_reply(std::string_view id, Rejection rejection) const {
  if (rejection.reason == Rejection::Reason::invalid_arguments) {
    auto reply = complete(id, {tool_error_members(rejection.message)});
    reply.is_tool_error = true;
    return reply;
  }
  const bool mismatch = rejection.reason == Rejection::Reason::header_mismatch;
  const RpcError error{code_of_rejection(rejection.reason), std::move(rejection.message), std::move(rejection.data),
                       std::move(rejection.scopes), std::move(rejection.limit)};
  return error_reply(id, error, mismatch ? ReplyStatus::invalid : ReplyStatus::answered);
}

void ModernEra::listen(Request&& request) {
  auto filter = request.params.find("notifications").json();
  if (!filter.is_object()) {
    const RpcError error{error_code::invalid_params, "Invalid params: params.notifications must be an object"};
    return request.exchange->reply(error_reply(request.id, error));
  }
  // As some clients write what they leave out.
  for (auto member = filter.begin(); member != filter.end();)
    member = member->is_null() ? filter.erase(member) : std::next(member);
  if (const auto mistake = mistake_in_filter(filter)) {
    const RpcError error{error_code::invalid_params, "Invalid params: params.notifications." + *mistake};
    return request.exchange->reply(error_reply(request.id, error));
  }
  const auto wants = [&](const char* field) { return filter.value(field, false); };
  const ListKinds wanted{.tools = wants("toolsListChanged"),
                         .resources = wants("resourcesListChanged"),
                         .prompts = wants("promptsListChanged")};
  auto tasks = read_task_filter(request, filter);
  if (!tasks) return request.exchange->reply(tasks_required_reply(request.id));
  auto resources = read_resource_filter(*view_of(request), filter);
  if (resources.has_error()) return request.exchange->reply(error_reply(request.id, resources.error()));
  if (!has_room_for_subscription()) {
    const RpcError error{error_code::internal_error,
                         "This server has as many subscriptions of all its clients as it can keep; try again later"};
    return request.exchange->reply(error_reply(request.id, error, ReplyStatus::unavailable));
  }
  const auto subscription =
      Subscription::open(std::move(request.id),
                         {wanted, filter.contains("resourceSubscriptions"), *std::move(resources), *std::move(tasks)},
                         request.exchange, request.output, request.caller->principal, catalog_);
  const MutexLock lock(mutex_);
  if (ending_) return subscription->end(identity_);
  subscriptions_.add(subscription);
}

bool ModernEra::has_room_for_subscription() {
  const MutexLock lock(mutex_);
  return subscriptions_.has_room(max_subscriptions);
}

std::vector<std::shared_ptr<Subscription>> ModernEra::open_subscriptions() {
  const MutexLock lock(mutex_);
  return subscriptions_.living();
}

void ModernEra::end_what_is_of(const IsGood& is_good) {
  tasks_.cancel_of(is_good);
  for (const auto& subscription : open_subscriptions()) {
    if (!is_good(subscription->principal())) subscription->end(identity_);
  }
}

std::size_t ModernEra::subscriptions() {
  const MutexLock lock(mutex_);
  return subscriptions_.size();
}

void ModernEra::end() {
  tasks_.end();
  {
    const MutexLock lock(mutex_);
    ending_ = true;
  }
  for (const auto& subscription : open_subscriptions())
    subscription->end(identity_);
}

Reply ModernEra::complete(std::string_view id, std::initializer_list<std::string_view> members) const {
  auto response = begin_result_response(id, opening_, members);
  for (const auto each : members) {
    if (!each.empty()) response.append(",").append(each);
  }
  response.append("}}");
  return {std::move(response)};
}

Reply ModernEra::result(const CallOrigin& origin, PluginMethod method, JsonValue result) const {
  if (method == PluginMethod::resources_read) return read_result(origin, result);
  if (can_prepend_members(result)) return complete(origin.id, {members_of(result)});
  return {result_response(origin.id, dump(with_opening(result, identity_)))};
}

// How a resource may be cached is its plugin's to say (server/utilities/caching), but where others may not read it, and
// where the client has been asked for something first: such a result is for that request alone.
Reply ModernEra::read_result(const CallOrigin& origin, JsonValue result) const {
  const bool is_of_answers = origin.rounds.client_was_asked;
  const bool is_public = result.find("cacheScope").is("public") && !is_of_answers &&
                         is_for_all(*catalog_.current(origin.caller->principal));
  const bool is_timed = result.contains("ttlMs") && !is_of_answers;
  const bool is_right = is_timed == result.contains("ttlMs") && is_public == result.find("cacheScope").is("public");
  if (is_right && can_prepend_members(result)) {
    const std::string_view ttl = is_timed ? "" : R"("ttlMs":0)";
    const std::string_view scope = result.contains("cacheScope") ? "" : R"("cacheScope":"private")";
    return complete(origin.id, {ttl, scope, members_of(result)});
  }
  auto tree = with_opening(result, identity_);
  if (!is_timed) tree["ttlMs"] = 0;
  tree["cacheScope"] = is_public ? "public" : "private";
  return {result_response(origin.id, dump(tree))};
}

Reply ModernEra::error(std::string_view id, const RpcError& error) const {
  auto allowed = error;
  allowed.code = allowed_code(error.code);
  return error_reply(id, allowed);
}

Reply ModernEra::missing_capability(std::string_view id, const RpcError& /*error*/, const Json& missing) const {
  return missing_capability_reply(id, missing);
}

void ModernEra::ask(SuspendedCall call, OrderedJson input_requests) const {
  const auto& rounds = call.origin.rounds;
  const auto& caller = *call.origin.caller;
  if (const auto offered = accept_offered(rounds, input_requests)) {
    // What the plugin asks again is not answered by what it has been told.
    for (const auto& [name, answer] : offered->items())
      call.origin.rounds.offered.erase(name);
    return go_on(call, *offered);
  }
  drop_undeclared_context(input_requests, caller.capabilities);
  drop_elicitation_ids(input_requests);
  const auto missing = missing_capabilities(input_requests, caller.capabilities);
  if (!missing.empty()) {
    call_log_.refused(name_of(call.method), call.component,
                      "the client lacks what the plugin asks for: " + dump(missing));
    if (rounds.awaited != nullptr) rounds.awaited->fail(error_code::invalid_params, "the client cannot be asked this");
    return call.exchange->reply(missing_capability_reply(call.origin.id, missing));
  }
  const auto& task = call.origin.task;
  if (task != nullptr && task->wait_for_input(input_requests, rounds.count, memory_of(call), options_.answer_time,
                                              [this, call](const Result<Json>& answers) {
                                                if (answers.has_error()) return give_up(call, answers.error().message);
                                                go_on(call, *answers);
                                              })) {
    return;
  }
  // The client, which comes back with another request, sends it again.
  call.origin.payment.reset();
  auto state = state_.seal(content_of(rounds, input_requests), purpose_of(call.method, call.params, caller));
  if (state.size() > max_state_bytes) {
    return give_up(call, "The answers so far are too large for the client to carry: " + std::to_string(state.size()) +
                             " bytes of requestState, more than " + std::to_string(max_state_bytes));
  }
  const OrderedJson result = {{"resultType", "input_required"},
                              {"_meta", {{meta_key::server_info, read_ordered_json(identity_)}}},
                              {"requestState", std::move(state)},
                              {"inputRequests", std::move(input_requests)}};
  call.exchange->reply({result_response(call.origin.id, dump(result))});
}

void ModernEra::give_up(const SuspendedCall& call, const std::string& why) const {
  call_log_.refused(name_of(call.method), call.component, why);
  const RpcError error{error_code::internal_error, why};
  if (const auto& awaited = call.origin.rounds.awaited) awaited->fail(error.code, error.message);
  call.exchange->reply(error_reply(call.origin.id, error));
}

void ModernEra::go_on(const SuspendedCall& call, const Json& answers) const {
  const auto& caller = *call.origin.caller;
  const auto resumed = resume(call, answers, *catalog_.current(caller.principal), *this);
  if (resumed.has_value()) return;
  call_log_.refused(name_of(call.method), call.component, resumed.error().message);
  note_rejection(resumed.error(), catalog_, *call.exchange);
  call.exchange->reply(rejection_reply(call.origin.id, resumed.error()));
}

}  // namespace mcph
