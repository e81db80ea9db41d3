// What an upstream asks during its calls, and what becomes of it.
#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/json_members.hpp"
#include "base/json_text.hpp"
#include "base/utf8.hpp"
#include "sources/upstream/upstream_calls.hpp"

namespace mcph {
namespace {

// Of one call.
constexpr unsigned max_input_requests = 256;
// Requests of one connection that are known one by one.
constexpr std::size_t max_abandoned = 1024;

bool has_capability(std::string_view capabilities, const char* capability, const char* part) {
  const auto parts = json_member(capabilities, capability).value_or("{}");
  // Who can elicit and says no more can show forms (2025-11-25, client/elicitation, "Capabilities").
  return json_member(parts, part).has_value() || (part == std::string_view("form") && parts == "{}");
}

// What of a capability that the client has it lacks for this; null: nothing.
const char* lacking_part(const from_upstream::Request& input_request, const std::string& capabilities) {
  const auto& params = input_request.params;
  const auto method = find_method(input_request.method);
  if (method == Method::elicitation_create) {
    const char* const mode = params.value("mode", OrderedJson()) == "url" ? "url" : "form";
    return has_capability(capabilities, "elicitation", mode) ? nullptr : mode;
  }
  const bool needs_tools = method == Method::sampling_create_message && params.contains("tools");
  return needs_tools && !has_capability(capabilities, "sampling", "tools") ? "tools" : nullptr;
}

// Null: it is not for a client.
const char* capability_for(std::string_view method) {
  const auto known = find_method(method);
  if (known == Method::elicitation_create) return "elicitation";
  if (known == Method::sampling_create_message) return "sampling";
  return known == Method::roots_list ? "roots" : nullptr;
}

// The requests of an input_required result that may be passed on: an upstream reads nothing of this host.
std::optional<OrderedJson> passed_on_requests(const OrderedJson& requests) {
  if (!requests.is_object() || requests.size() > UpstreamInputRequests::max_of_call) return std::nullopt;
  for (const auto& [name, request] : requests.items()) {
    const auto method = request.is_object() ? request.value("method", OrderedJson()) : OrderedJson();
    if (!method.is_string() || capability_for(method.get_ref<const std::string&>()) == nullptr) return std::nullopt;
  }
  return requests;
}

bool are_all_accepted(const AskedInputRequests& input_requests, const Json& answers) {
  return std::ranges::all_of(input_requests.requests.items(), [&](const auto& request) {
    const auto answer = answers.find(request.key());
    return answer != answers.end() && answer->is_object() && answer->value("action", Json()) == "accept";
  });
}

}  // namespace

void UpstreamCalls::expire(UpstreamInputRequests::Clock::time_point now) {
  {
    const MutexLock lock(mutex_);
    const auto is_over = [&](const auto& each) { return each.second.until <= now; };
    if (served_ != nullptr) std::erase_if(served_->abandoned, is_over);
  }
  for (const auto& each : input_requests_.take_expired(now))
    withdraw(each, upstream_code::internal_error, "nobody has answered in time");
}

void UpstreamCalls::not_answered(const std::string& input_state, int code, std::string_view why) {
  if (const auto input_requests = input_requests_.drop(input_state)) withdraw(*input_requests, code, why);
}

void UpstreamCalls::withdraw(const AskedInputRequests& input_requests, int code, std::string_view why) {
  const auto current = served();
  if (input_requests.request == 0 || current == nullptr || current->number != input_requests.connection) return;
  std::vector<Json> ids;
  for (const auto& [name, id] : input_requests.ids)
    ids.push_back(id);
  {
    const MutexLock lock(mutex_);
    const auto found = current->given.find(input_requests.request);
    if (found == current->given.end()) return;
    for (const auto& [name, input_request] : found->second.open)
      ids.push_back(input_request.id);
    abandon(*current, input_requests.request);
    erase(*current, input_requests.request);
  }
  const auto& [client, peer] = current->link;
  for (const auto& id : ids)
    client->refuse(peer, id, code, utf8_prefix(why, max_message_bytes));
  client->cancel(peer, input_requests.request, "what it has asked is not answered");
  give_waiting();
}

// What it asks or says from now on is not to be taken for another call's. When it ends is not known: one that was
// cancelled should not be answered (2025-11-25, basic/utilities/cancellation). So it counts for as long again as a call
// may take, or a client that is asked.
void UpstreamCalls::abandon(Served& served, RequestId request) {
  const auto found = served.given.find(request);
  if (found == served.given.end()) return;
  const auto& given = found->second;
  if (given.outcome && !std::holds_alternative<UpstreamFailure>(*given.outcome)) return;
  const bool has_place = served.abandoned.size() < max_abandoned || served.abandoned.contains(request);
  auto& abandoned = served.abandoned[has_place ? request : 0];
  if (has_place) abandoned.caller = given.caller;
  const std::chrono::milliseconds most = UpstreamInputRequests::time;
  const auto time = limits_.call_time.count() == 0 ? most : std::min(limits_.call_time, most);
  abandoned.until = UpstreamInputRequests::Clock::now() + time;
}

void UpstreamCalls::answered_late(RequestId request) {
  const MutexLock lock(mutex_);
  if (served_ != nullptr) served_->abandoned.erase(request);
}

// Where the connection does not tell, it is the only one that there is, or one of several of the same person. Those
// that nobody waits for any more count, because it may be they that ask.
Result<UpstreamCalls::RequestId> UpstreamCalls::asking_request(const Served& served,
                                                               std::optional<RequestId> known) const {
  const auto none = [] { return fail("no call runs that could ask somebody this"); };
  if (known) return served.given.contains(*known) ? Result<RequestId>(*known) : none();
  const auto are_of_one = [this](const std::vector<std::string>& caller, const std::vector<std::string>& other) {
    return kind_.of_one_client || (!caller.empty() && caller == other);
  };
  std::optional<RequestId> last;
  for (const auto& [request, given] : served.given) {
    if (given.outcome) continue;
    if (last && !are_of_one(served.given.at(*last).caller, given.caller)) {
      return fail(
          "several calls run or wait for their clients, and which of them asks this cannot be told; the operator of "
          "the host can set limits.concurrentCalls to 1");
    }
    last = std::max(last.value_or(0), request);
  }
  const auto is_theirs = [&](const auto& each) {
    return are_of_one(served.given.at(*last).caller, each.second.caller);
  };
  if (!last) return none();
  if (!std::ranges::all_of(served.abandoned, is_theirs)) {
    return fail(
        "a call that nobody waits for any more may still run, and whether it asks this cannot be told; it counts until "
        "it is answered, or limits.callTimeMs have passed");
  }
  return *last;
}

bool UpstreamCalls::asked(std::optional<RequestId> request, from_upstream::Request& input_request) {
  const auto current = served();
  if (current == nullptr) return false;
  const auto& [client, peer] = current->link;
  const auto refuse = [&client = client, &peer = peer, &input_request](int code, std::string_view why) {
    client->refuse(peer, input_request.id, code, why);
    return true;
  };
  const char* const capability = capability_for(input_request.method);
  if (capability == nullptr) return refuse(upstream_code::method_not_found, "there is no such method here");
  bool asks_now = false;
  Result<RequestId> asking = 0;
  const auto bytes = memory_of(input_request.params);
  {
    MutexLock lock(mutex_);
    asking = asking_request(*current, request);
    if (asking.has_error()) {
      const auto is_at = [](const auto& each) { return !each.second.outcome; };
      const bool any = std::ranges::any_of(current->given, is_at);
      lock.unlock();
      if (find_method(input_request.method) == Method::roots_list && !any) {
        client->answer(peer, input_request.id, {{"roots", Json::array()}});
        return true;
      }
      return refuse(upstream_code::internal_error, asking.error().message);
    }
    auto& given = current->given.at(*asking);
    if (!json_member(given.capabilities, capability)) {
      lock.unlock();
      return refuse(upstream_code::method_not_found,
                    std::string("the client that made this call has no ") + capability);
    }
    if (const char* const part = lacking_part(input_request, given.capabilities)) {
      lock.unlock();
      return refuse(upstream_code::invalid_params,
                    std::string("the client that made this call has no ") + capability + " with " + part);
    }
    if (given.open.size() >= UpstreamInputRequests::max_of_call || ++given.input_requests > max_input_requests ||
        !keep(*current, given, bytes)) {
      lock.unlock();
      return refuse(upstream_code::internal_error, "the call has asked too much");
    }
    given.open.emplace_back(std::to_string(given.input_requests), std::move(input_request));
    asks_now = given.call != 0;
  }
  if (asks_now) ask_open(current, *asking);
  return true;
}

void UpstreamCalls::withdrawn(const Json& input_request) {
  const auto current = served();
  if (current == nullptr) return;
  {
    const MutexLock lock(mutex_);
    const auto is_it = [&](const auto& each) { return each.second.id == input_request; };
    for (auto& [request, given] : current->given)
      if (std::erase_if(given.open, is_it) > 0) return;
  }
  if (const auto told = input_requests_.withdraw(current->number, input_request)) told();
}

// Ends the call with what has been asked since.
void UpstreamCalls::ask_open(const ServedPtr& served, RequestId request) {
  AskedInputRequests input_requests;
  input_requests.request = request;
  input_requests.connection = served->number;
  input_requests.is_on_stream = kind_.are_on_streams;
  std::uint64_t call = 0;
  bool keeps_place = false;
  {
    const MutexLock lock(mutex_);
    const auto found = served->given.find(request);
    if (found == served->given.end() || found->second.call == 0 || found->second.open.empty()) return;
    auto& given = found->second;
    call = std::exchange(given.call, 0);
    // Where there may be one call at a time, the next one's input requests are not to be taken for this one's.
    keeps_place = given.keeps_place = limits_.concurrent_calls == 1;
    served->requests.erase(call);
    input_requests.caller = given.caller;
    for (auto& [name, input_request] : given.open) {
      input_requests.ids[name] = input_request.id;
      input_requests.requests[name] = {{"method", input_request.method}, {"params", std::move(input_request.params)}};
    }
    given.open.clear();
    served->kept_bytes -= std::exchange(given.kept_bytes, 0);
  }
  if (!keeps_place) ended_on(*served);
  ask(call, input_requests);
}

// The request that has asked will have no answer, because its stream has ended: nothing can come of it any more.
void UpstreamCalls::stop_asking(const ServedPtr& served, RequestId request) {
  auto [ids, told] = input_requests_.withdraw_all(served->number, request);
  {
    const MutexLock lock(mutex_);
    if (const auto found = served->given.find(request); found != served->given.end()) {
      for (const auto& [name, input_request] : std::exchange(found->second.open, {}))
        ids.push_back(input_request.id);
    }
  }
  const auto& [client, peer] = served->link;
  constexpr std::string_view why = "the stream of its request ended before the answer had come";
  for (const auto& id : ids)
    client->refuse(peer, id, upstream_code::internal_error, why);
  client->notify(peer, Method::notifications_cancelled, {{"requestId", request}, {"reason", why}});
  if (told) told();
}

void UpstreamCalls::ask(std::uint64_t call, const AskedInputRequests& input_requests) {
  const auto text = input_requests_.ask(input_requests, UpstreamInputRequests::Clock::now());
  if (text && text->size() <= limits_.result_bytes) {
    table_.complete({call, static_cast<std::int32_t>(Outcome::input_required), *text});
    return;
  }
  if (text) input_requests_.drop(json_string(json_member(*text, "inputState").value_or("")).value_or(""));
  withdraw(input_requests, upstream_code::internal_error, "too much is asked");
  table_.refuse(call, " has asked its clients too much that they have not answered");
}

// Whether the place that it needs is kept for it.
bool UpstreamCalls::goes_on(const Call& call) const {
  if (limits_.concurrent_calls > 1) return false;
  const auto state = json_member(call.params(), "inputState");
  return state && input_requests_.are_of_request(json_string(*state).value_or(""));
}

// A call that brings answers to what was asked.
void UpstreamCalls::resume(const ServedPtr& served, const CallTable::Admitted& admitted, Params params) {
  const auto& [id, call] = admitted;
  const auto answered = input_requests_.take(
      params.state, params.responses.empty() ? Json::object() : read_json(params.responses), call->principal_key());
  if (!answered) {
    table_.refuse(
        id,
        ": what this call answers is not asked any more, because the server behind it was started anew, or too "
        "much time has passed; make the call again");
    return ended_on(*served);
  }
  const auto& [input_requests, answers] = *answered;
  if (input_requests.request != 0) return go_on(served, id, *answered);
  if (input_requests.without_visits) {
    if (are_all_accepted(input_requests, answers))
      return begin_request(served, admitted, std::move(params), {.has_visited = true, .is_last_try = true});
    table_.complete({id, static_cast<std::int32_t>(Outcome::error), *input_requests.without_visits});
    return ended_on(*served);
  }
  append_json_member(params.members, "inputResponses", dump(answers));
  if (input_requests.request_state)
    append_json_member(params.members, "requestState", dump(Json(*input_requests.request_state)));
  begin_request(served, admitted, std::move(params), {.is_last_try = true});
}

// The call takes over the request that has asked.
void UpstreamCalls::go_on(const ServedPtr& served, std::uint64_t call,
                          const UpstreamInputRequests::Answered& answered) {
  const auto& [input_requests, answers] = answered;
  std::optional<UpstreamOutcome> outcome;
  std::optional<ToldProgress> told;
  bool is_there = false;
  Given ended;
  {
    const MutexLock lock(mutex_);
    const auto found = served->given.find(input_requests.request);
    is_there = found != served->given.end() && input_requests.connection == served->number;
    if (is_there) {
      auto& given = found->second;
      outcome = std::exchange(given.outcome, std::nullopt);
      told = std::exchange(given.progress, std::nullopt);
      if (outcome) {
        ended = given;
        erase(*served, input_requests.request);
      } else {
        if (std::exchange(given.keeps_place, false)) --served->running;
        given.call = call;
        served->requests[call] = input_requests.request;
        // What the client has left out it is asked again (basic/patterns/mrtr, "Error Handling").
        for (const auto& [name, id] : input_requests.ids) {
          if (answers.contains(name)) continue;
          const auto& request = input_requests.requests.at(name);
          given.open.emplace_back(
              name, from_upstream::Request{id, request.at("method").get<std::string>(), request.at("params")});
        }
      }
    }
  }
  if (!is_there) {
    table_.refuse(call, ": the server behind it was started anew while it waited for the answer; make the call again");
    return ended_on(*served);
  }
  if (const auto teller = told ? table_.find(call) : nullptr)
    teller->progress(told->progress, told->total, told->message);
  if (outcome) {
    ended_on(*served);
    return complete(call, ended, *std::move(outcome), false);
  }
  const auto& [client, peer] = served->link;
  for (const auto& [name, id] : input_requests.ids) {
    if (answers.contains(name)) client->answer(peer, id, answers[name]);
  }
  ask_open(served, input_requests.request);
}

// Of the modern era.
bool UpstreamCalls::ask_again(std::uint64_t call, const std::vector<std::string>& caller, std::string_view text) {
  if (!may_be_read(text)) return false;
  const auto result = parse_in_order(text);
  if (result.has_error() || !result->is_object()) return false;
  AskedInputRequests input_requests;
  input_requests.caller = caller;
  if (const auto state = result->value("requestState", OrderedJson()); state.is_string())
    input_requests.request_state = state;
  const auto requests = passed_on_requests(result->value("inputRequests", OrderedJson::object()));
  if (!requests || requests->empty()) return false;
  input_requests.requests = *requests;
  ask(call, input_requests);
  return true;
}

}  // namespace mcph
