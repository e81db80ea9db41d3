#include "sources/upstream/upstream_calls.hpp"

#include <algorithm>
#include <array>

#include "base/json_members.hpp"
#include "base/json_text.hpp"
#include "base/utf8.hpp"
#include "plugin/answer_in_stead.hpp"

namespace mcph {
namespace {

// What is kept of all calls whose clients are asked: further input requests, and answers that came meanwhile.
constexpr std::size_t max_kept_bytes = std::size_t{64} << 20;
// Times that one call is made again because the upstream wants to have its state back, and nothing else.
constexpr unsigned max_repetitions = 32;

// Of what is told and an upstream may have written anything in.
constexpr std::size_t max_shown_type = 64;

constexpr std::string_view words_for_cancelled = "the client has cancelled the call, or its time is over";

// What of the caller's capabilities has to do with input requests.
std::string asked_capabilities(std::string_view context) {
  std::string some;
  JsonMembers all(json_member(context, "clientCapabilities").value_or("{}"));
  while (all.next()) {
    if (all.key() == "elicitation" || all.key() == "sampling" || all.key() == "roots") all.append_to(some);
  }
  return "{" + some + "}";
}

std::int32_t severity_of(std::string_view level) {
  constexpr std::array<std::string_view, 8> levels{"debug", "info",     "notice", "warning",
                                                   "error", "critical", "alert",  "emergency"};
  const auto* const found = std::ranges::find(levels, level);
  return found == levels.end() ? 1 : static_cast<std::int32_t>(found - levels.begin());
}

std::string error_text(int code, std::string_view message, const Json& data = nullptr) {
  Json error = {{"code", code}, {"message", message}};
  if (!data.is_null()) error["data"] = data;
  return dump(error);
}

// Which are kept of it; a failure is short.
std::size_t bytes_of(const UpstreamOutcome& outcome) {
  if (const auto* const result = std::get_if<std::string>(&outcome)) return result->size();
  const auto* const error = std::get_if<UpstreamError>(&outcome);
  return error == nullptr ? 0 : error->message.size() + memory_of(error->data);
}

// A program's requests fail with it, or by a faulty answer.
bool may_run_without_answer(UpstreamClient& client, const UpstreamOutcome& outcome) {
  const auto* const failure = std::get_if<UpstreamFailure>(&outcome);
  return failure != nullptr && failure->may_run_on() && client.transport().process() == 0;
}

// The requestState of a result that asks for nothing else.
std::optional<std::string> lone_state_in(std::string_view result) {
  if (!may_be_read(result)) return std::nullopt;
  const auto json = parse_json(result, max_upstream_depth);
  if (json.has_error() || !json->value("inputRequests", Json::object()).empty()) return std::nullopt;
  const auto state = json->value("requestState", Json());
  return state.is_string() ? std::optional(state.get<std::string>()) : std::nullopt;
}

// Of the error of 2025-11-25 that asks for visits of web pages before the same is asked again.
std::optional<OrderedJson> asked_visits(const Json& data) {
  const auto visits = data.is_object() ? data.value("elicitations", Json()) : Json();
  if (!visits.is_array() || visits.empty() || visits.size() > UpstreamInputRequests::max_of_call) return std::nullopt;
  auto requests = OrderedJson::object();
  for (std::size_t i = 0; i < visits.size(); ++i)
    requests[std::to_string(i + 1)] = {{"method", name_of(Method::elicitation_create)},
                                       {"params", OrderedJson(visits[i])}};
  return requests;
}

}  // namespace

UpstreamCalls::UpstreamCalls(const CallTable::Surroundings& surroundings, RateLimitedLog& log, Kind kind, Failed failed)
    : identity_(surroundings.identity),
      limits_(surroundings.limits),
      log_(log),
      kind_(kind),
      failed_(std::move(failed)),
      described_(std::make_shared<const UpstreamDescription>()),
      table_(surroundings, *this) {}

// ---- Whether there is a connection.

void UpstreamCalls::describe(std::shared_ptr<const UpstreamDescription> described) {
  const MutexLock lock(mutex_);
  described_ = std::move(described);
}

void UpstreamCalls::serve(const UpstreamLink& link) {
  {
    const MutexLock lock(mutex_);
    served_ = std::make_shared<Served>(Served{.link = link, .number = ++last_number_});
    door_ = Door::open;
  }
  make_again();
}

void UpstreamCalls::make_again() {
  {
    const MutexLock lock(mutex_);
    due_.insert(due_.end(), again_.begin(), again_.end());
    again_.clear();
  }
  give_waiting();
}

void UpstreamCalls::hold() {
  const MutexLock lock(mutex_);
  door_ = Door::waits;
}

void UpstreamCalls::lose(const Error& why) {
  std::vector<std::uint64_t> calls;
  {
    const MutexLock lock(mutex_);
    door_ = Door::waits;
    if (served_ == nullptr) return;
    calls.reserve(served_->requests.size());
    const auto lost = std::exchange(served_, nullptr);
    for (const auto& [call, request] : lost->requests)
      calls.push_back(call);
    lost->requests.clear();
    lost->given.clear();
    lost->kept_bytes = 0;
  }
  input_requests_.drop_requests();
  for (const auto call : calls)
    table_.refuse(call, ": the call failed, because " + why.message);
}

void UpstreamCalls::refuse(const std::string& why) {
  std::vector<std::uint64_t> again;
  {
    const MutexLock lock(mutex_);
    door_ = Door::refuses;
    why_not_ = why;
    again.swap(again_);
    again.insert(again.end(), due_.begin(), due_.end());
    due_.clear();
  }
  for (const auto call : again)
    table_.refuse(call, why);
  for (const auto& waiting : table_.all_waiting()) {
    if (waiting.call->claim()) table_.refuse(waiting.id, why);
  }
}

bool UpstreamCalls::is_idle() const {
  const MutexLock lock(mutex_);
  if (served_ == nullptr) return true;
  const auto is_over = [](const auto& each) { return each.second.outcome.has_value(); };
  return served_->running == 0 && std::ranges::all_of(served_->given, is_over);
}

UpstreamCalls::ServedPtr UpstreamCalls::served() const {
  const MutexLock lock(mutex_);
  return served_;
}

// ---- What the connection tells.

void UpstreamCalls::progressed(RequestId request, double progress, double total, std::string_view message) {
  std::uint64_t call = 0;
  {
    const MutexLock lock(mutex_);
    if (served_ == nullptr) return;
    const auto found = served_->given.find(request);
    if (found == served_->given.end()) return;
    call = found->second.call;
    // The call that brings the answers tells it.
    if (call == 0) found->second.progress = {progress, total, std::string(message)};
  }
  if (const auto found = call == 0 ? nullptr : table_.find(call)) found->progress(progress, total, message);
}

void UpstreamCalls::said(std::optional<RequestId> request, std::string_view level, std::string_view text,
                         std::string_view data) {
  std::uint64_t call = 0;
  {
    const MutexLock lock(mutex_);
    if (served_ != nullptr) {
      const auto& given = served_->given;
      const bool is_alone = given.size() + served_->abandoned.size() == 1;
      const auto known = request ? given.find(*request) : is_alone ? given.begin() : given.end();
      if (known != given.end()) call = known->second.call;
    }
  }
  const auto severity = severity_of(level);
  if (const auto found = call == 0 ? nullptr : table_.find(call))
    return data.empty() ? found->log(severity, text) : found->log_json(severity, data);
  constexpr std::int32_t warning = 3;
  log_.write(severity >= warning ? Log::Level::warning : Log::Level::info, "plugin says",
             {{"plugin", identity_.name},
              {"severity", utf8_prefix(level, max_logged_bytes)},
              {"text", utf8_prefix(text, max_logged_bytes)}});
}

// ---- Calls.

void UpstreamCalls::invoke(std::shared_ptr<Call> call) {
  const auto id = table_.admit(call);
  if (!id) return;
  const bool has_place = goes_on(*call);
  const CallTable::Admitted admitted{*id, std::move(call)};
  ServedPtr current;
  std::string why_not;
  {
    const MutexLock lock(mutex_);
    if (door_ == Door::open && (has_place || served_->running < limits_.concurrent_calls)) {
      ++served_->running;
      current = served_;
    } else if (door_ != Door::refuses) {
      return table_.wait(*id);
    } else {
      why_not = why_not_;
    }
  }
  if (current != nullptr) return give(current, admitted);
  if (admitted.call->claim()) table_.refuse(admitted.id, why_not);
}

// Of those that are made again.
std::optional<CallTable::Admitted> UpstreamCalls::next_due() {
  while (!due_.empty()) {
    const auto id = due_.front();
    due_.pop_front();
    if (auto call = table_.find(id)) return CallTable::Admitted{id, std::move(call)};
  }
  return std::nullopt;
}

// One thread at a time, which goes on with what others let it have meanwhile: a call that fails at once lets the next
// one begin, and would do so within itself.
void UpstreamCalls::give_waiting() {
  for (ServedPtr current;;) {
    std::optional<CallTable::Admitted> due;
    std::optional<CallTable::Admitted> next;
    {
      const MutexLock lock(mutex_);
      if (current == nullptr) {
        if (served_ == nullptr || std::exchange(served_->is_giving, true)) return;
        current = served_;
      }
      if (door_ == Door::open && served_ == current && current->running < limits_.concurrent_calls) {
        due = next_due();
        if (!due) next = table_.next_waiting();
      }
      if (!due && !next) {
        current->is_giving = false;
        return;
      }
      ++current->running;
    }
    try {
      if (due) {
        begin_request(current, *due, params_of(*due->call), {.is_last_try = true});
        if (const auto why = due->call->cancelled(); why != CancelReason::none) cancel_given(due->id, due->call, why);
      } else {
        give(current, *next);
      }
    } catch (...) {
      // The next that comes by gives the others.
      const MutexLock lock(mutex_);
      current->is_giving = false;
      throw;
    }
  }
}

// One that had been given to it is over.
void UpstreamCalls::ended_on(Served& served) {
  {
    const MutexLock lock(mutex_);
    --served.running;
  }
  give_waiting();
}

// It counts as running.
void UpstreamCalls::give(const ServedPtr& served, const CallTable::Admitted& admitted) {
  const auto& [id, call] = admitted;
  if (!call->claim()) return ended_on(*served);  // it was cancelled, and has been refused
  auto params = params_of(*call);
  if (params.state.empty()) {
    begin_request(served, admitted, std::move(params), {});
  } else {
    resume(served, admitted, std::move(params));
  }
  if (const auto why = call->cancelled(); why != CancelReason::none) cancel_given(id, call, why);
}

std::string UpstreamCalls::own_name(PluginMethod method, std::string_view name) const {
  const auto& names = method == PluginMethod::tools_call ? described_->tools : described_->prompts;
  const auto found = names.find(name);
  return found == names.end() ? std::string(name) : found->second;
}

// As the upstream calls it. The host has written the text.
UpstreamCalls::Params UpstreamCalls::params_of(const Call& call) const {
  const auto method = call.method();
  const bool is_read = method == PluginMethod::resources_read;
  Params params;
  JsonMembers members(call.params());
  const MutexLock lock(mutex_);
  while (members.next()) {
    const auto key = members.key();
    const auto value = members.value();
    if (key == "inputResponses") {
      params.responses = value;
    } else if (key == "inputState") {
      params.state = json_string(value).value_or("");
    } else if (key == "name" && method != PluginMethod::completion_complete && !is_read) {
      params.name = own_name(method, json_string(value).value_or(""));
      append_json_member(params.members, key, dump(Json(params.name)));
    } else if (key == "ref" && method == PluginMethod::completion_complete) {
      auto ref = read_json(value);
      if (ref.is_object() && ref.contains("name") && ref["name"].is_string())
        ref["name"] = own_name(method, ref["name"].get_ref<const std::string&>());
      append_json_member(params.members, key, dump(ref));
    } else if (!is_read || (key != "uriTemplate" && key != "variables")) {
      if (key == "arguments") params.arguments = value;
      if (key == "uri" && is_read) params.name = json_string(value).value_or("");
      append_json_member(params.members, key, value);
    }
  }
  return params;
}

std::vector<ParameterHeader> UpstreamCalls::headers_of(const std::string& tool) const {
  const MutexLock lock(mutex_);
  const auto found = described_->headers.find(tool);
  return found == described_->headers.end() ? std::vector<ParameterHeader>() : found->second;
}

void UpstreamCalls::begin_request(const ServedPtr& served, const CallTable::Admitted& admitted, Params params,
                                  Again again) {
  const auto& [id, call] = admitted;
  const auto& [client, peer] = served->link;
  const auto context = call->context();
  auto capabilities = asked_capabilities(context);
  const auto request = client->next_id();
  auto message = request_to(
      peer, request, method_of(call->method()), params.members,
      {.own = passed_on_meta(context), .capabilities = capabilities, .wants_progress = true, .wants_log = true});
  const bool is_mirrored =
      peer.is_modern && call->method() == PluginMethod::tools_call && client->transport().process() == 0;
  if (is_mirrored && !params.arguments.empty()) {
    if (const auto headers = headers_of(params.name); !headers.empty()) {
      auto fields = parameter_fields(headers, read_json(params.arguments));
      if (fields.has_error()) {
        table_.refuse(id, fields.error().message);
        return ended_on(*served);
      }
      message.fields = *std::move(fields);
    }
  }
  if (call->method() != PluginMethod::completion_complete) message.name = std::move(params.name);
  {
    const MutexLock lock(mutex_);
    served->given[request] = {.call = id,
                              .method = call->method(),
                              .is_modern = peer.is_modern,
                              .caller = call->principal_key(),
                              .capabilities = std::move(capabilities),
                              .repetitions = again.repetitions,
                              .has_visited = again.has_visited,
                              .is_last_try = again.is_last_try,
                              .is_mirrored = is_mirrored};
    served->requests[id] = request;
  }
  const auto sent = client->request(std::move(message), request, [this, served, request](UpstreamOutcome outcome) {
    answered(served, request, std::move(outcome));
  });
  if (sent.has_error()) return answered(served, request, UpstreamFailure{sent.error()});
  // It may have been cancelled before there was anything to cancel there.
  const auto is_given = [&] {
    const MutexLock lock(mutex_);
    return served->given.contains(request);
  }();
  if (!is_given) client->cancel(peer, request, words_for_cancelled);
}

// A modern upstream may want nothing but to be asked again with its state. False: the call is gone.
bool UpstreamCalls::repeat(const ServedPtr& served, std::uint64_t call, const std::string& state,
                           unsigned repetitions) {
  const auto found = table_.find(call);
  if (found == nullptr) return false;
  auto params = params_of(*found);
  append_json_member(params.members, "requestState", dump(Json(state)));
  begin_request(served, {call, found}, std::move(params), {.repetitions = repetitions, .is_last_try = true});
  if (const auto why = found->cancelled(); why != CancelReason::none) cancel_given(call, found, why);
  return true;
}

bool UpstreamCalls::keep(Served& served, Given& given, std::size_t bytes) {
  if (served.kept_bytes + bytes > max_kept_bytes) return false;
  served.kept_bytes += bytes;
  given.kept_bytes += bytes;
  return true;
}

void UpstreamCalls::erase(Served& served, RequestId request) {
  const auto found = served.given.find(request);
  if (found == served.given.end()) return;
  served.kept_bytes -= found->second.kept_bytes;
  if (found->second.keeps_place) --served.running;
  served.given.erase(found);
}

void UpstreamCalls::answered(const ServedPtr& served, RequestId request, UpstreamOutcome outcome) {
  Given given;
  bool is_known = false;
  bool is_asked = false;
  bool waits_in_vain = false;
  bool is_kept = false;
  const auto told = std::holds_alternative<std::string>(outcome) ? std::nullopt : std::optional(outcome);
  const bool may_run_on = may_run_without_answer(*served->link.client, outcome);
  {
    const MutexLock lock(mutex_);
    const auto found = served->given.find(request);
    is_known = found != served->given.end();
    is_asked = is_known && found->second.call == 0;
    if (is_asked) {
      waits_in_vain = door_ == Door::open && std::holds_alternative<UpstreamFailure>(outcome);
      if (waits_in_vain) abandon(*served, request);
      keep_outcome(*served, found->second, std::move(outcome));
    } else if (is_known) {
      given = found->second;
      if (may_run_on) abandon(*served, request);
      erase(*served, request);
      served->requests.erase(given.call);
      // Before anybody is told, who might make it possible at once.
      is_kept = door_ != Door::refuses && may_be_made_again(given, outcome);
      if (is_kept) again_.push_back(given.call);
    } else if (!may_run_on) {
      served->abandoned.erase(request);  // an answer that came as it was cancelled
    }
  }
  if (told) failed_(*told);
  if (!is_known) return;
  if (is_asked) input_requests_.end_stream(served->number, request);
  if (waits_in_vain) stop_asking(served, request);
  if (is_asked) return give_waiting();
  if (is_kept) return ended_on(*served);
  const auto call = given.call;
  const auto* const result = std::get_if<std::string>(&outcome);
  const auto type = served->link.peer.is_modern && result != nullptr ? result_type_of(*result) : "complete";
  const bool asks = type == "input_required";
  if (const auto state = asks && given.repetitions < max_repetitions ? lone_state_in(*result) : std::nullopt) {
    if (repeat(served, call, *state, given.repetitions + 1)) return;
  }
  ended_on(*served);
  // Such a result is invalid (2026-07-28, basic, "Result Type").
  if (!asks && type != "complete") {
    const auto shown = std::string(utf8_prefix(type, max_shown_type));
    return table_.refuse(call, " answered with the resultType \"" + shown + "\", which this host does not know");
  }
  complete(call, given, std::move(outcome), asks);
}

// It cannot have run, and may do so soon (2025-11-25, basic/transports, "Session Management"; 2026-07-28, "Header
// Mismatch").
bool UpstreamCalls::may_be_made_again(const Given& given, const UpstreamOutcome& outcome) {
  if (given.is_last_try) return false;
  const auto* const failure = std::get_if<UpstreamFailure>(&outcome);
  const auto* const error = std::get_if<UpstreamError>(&outcome);
  return (failure != nullptr && failure->session_is_gone && !failure->may_have_run) ||
         (error != nullptr && error->code == upstream_code::header_mismatch && given.is_mirrored);
}

// It went on without waiting for its answers.
void UpstreamCalls::keep_outcome(Served& served, Given& given, UpstreamOutcome outcome) {
  if (!keep(served, given, bytes_of(outcome)))
    outcome = UpstreamFailure{fail("it answered while its client was asked, and too much of that kind is kept")};
  given.outcome = std::move(outcome);
  if (std::exchange(given.keeps_place, false)) --served.running;
}

void UpstreamCalls::complete(std::uint64_t call, const Given& given, UpstreamOutcome outcome, bool asks) {
  if (const auto* const failure = std::get_if<UpstreamFailure>(&outcome))
    return table_.refuse(call, ": the call failed, because " + failure->error.message);
  if (const auto* const error = std::get_if<UpstreamError>(&outcome)) return complete_with_error(call, given, *error);
  const auto& result = std::get<std::string>(outcome);
  if (asks) {
    if (!ask_again(call, given.caller, result)) {
      table_.refuse(call, " asks for something that this host does not pass on");
    }
    return;
  }
  auto text = without_envelope(result);
  if (given.repetitions > 0 && given.method == PluginMethod::resources_read) text = without_caching_hints(text);
  table_.complete({call, static_cast<std::int32_t>(Outcome::result), text});
}

void UpstreamCalls::complete_with_error(std::uint64_t call, const Given& given, const UpstreamError& error) {
  const auto method = given.method;
  if (method == PluginMethod::completion_complete && error.code == upstream_code::method_not_found) {
    table_.complete({call, static_cast<std::int32_t>(Outcome::result), R"({"completion":{"values":[]}})"});
    return;
  }
  // Of a modern one that is what it says of a resource that it does not have (server/resources, "Error Handling").
  const bool is_not_found =
      given.is_modern && method == PluginMethod::resources_read && error.code == upstream_code::invalid_params;
  const auto text =
      error_text(is_not_found ? upstream_code::resource_not_found : error.code, error.message, error.data);
  const bool may_ask = error.code == upstream_code::url_elicitation_required && !given.has_visited;
  if (auto visits = may_ask ? asked_visits(error.data) : std::nullopt) {
    AskedInputRequests input_requests;
    input_requests.caller = given.caller;
    input_requests.without_visits = text;
    input_requests.requests = *std::move(visits);
    return ask(call, input_requests);
  }
  table_.complete({call, static_cast<std::int32_t>(Outcome::error), text});
}

void UpstreamCalls::cancel_given(std::uint64_t id, const std::shared_ptr<Call>& call, CancelReason reason) {
  const auto refuse_it = [&] {
    table_.complete({id, static_cast<std::int32_t>(Outcome::error), words_for_cancelled_call(*call, reason), true});
  };
  if (drop_again(id)) {
    refuse_it();
    return;
  }
  const auto current = served();
  if (current == nullptr) return;
  std::optional<RequestId> request;
  {
    const MutexLock lock(mutex_);
    const auto found = current->requests.find(id);
    if (found == current->requests.end()) return;
    request = found->second;
    current->requests.erase(found);
    abandon(*current, *request);
    erase(*current, *request);
  }
  current->link.client->cancel(current->link.peer, *request, words_for_cancelled);
  refuse_it();
  ended_on(*current);
}

bool UpstreamCalls::drop_again(std::uint64_t call) {
  const MutexLock lock(mutex_);
  return std::erase(again_, call) > 0 || std::erase(due_, call) > 0;
}

std::string UpstreamCalls::words_for_cancelled_call(const Call& call, CancelReason reason) const {
  const auto because = call.cancelled_because();
  return error_text(upstream_code::internal_error,
                    "plugin " + identity_.name + ": the call was cancelled, " +
                        (because.empty() ? why_cancelled(reason, call, limits_) : "because " + because));
}

void UpstreamCalls::end_overdue(std::uint64_t id, const Call& /*call*/) {
  table_.refuse(id, " did not end a call that was cancelled");
}

}  // namespace mcph
