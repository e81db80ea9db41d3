#include "protocol/calls/plugin_call.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/ascii.hpp"
#include "base/json_text.hpp"
#include "base/uri.hpp"
#include "protocol/calls/caller_text.hpp"
#include "protocol/calls/completion.hpp"
#include "protocol/calls/input_requests.hpp"
#include "protocol/calls/plugin_result.hpp"
#include "protocol/calls/resource_reads.hpp"
#include "protocol/calls/task.hpp"
#include "protocol/calls/trace_context.hpp"
#include "protocol/capabilities.hpp"
#include "protocol/request_record.hpp"

namespace mcph {
namespace {

// In bytes, of an answer that is checked although nobody is left to read it, for the plugin's status. A longer one
// takes its time, for which the end of the host would wait.
constexpr std::size_t max_unread_answer = std::size_t{64} << 10;

std::string without_answers(const std::string& params) {
  auto json = read_json(params);
  json.erase("inputResponses");
  json.erase("inputState");
  return dump(json);
}

// What a tool that says that it failed tells the model; nothing if it did not fail. The result has been checked.
std::optional<std::string> failure_of_tool(JsonValue result) {
  const auto is_error = result.find("isError");
  if (!is_error || !is_error.boolean()) return std::nullopt;
  for (const auto block : result.find("content").elements()) {
    if (block.find("type").is("text")) return block.find("text").string();
  }
  return "it says that it failed, and not why";
}

constexpr auto unexpected_mark = "mcp-plugin-host/unexpected";

// Takes the mark by which a plugin says that a result is a failure of which it has not said that clients may read.
bool take_unexpected_mark(Json& result) {
  const auto meta = result.find("_meta");
  if (meta == result.end() || !meta->is_object()) return false;
  if (meta->erase(unexpected_mark) == 0) return false;
  if (meta->empty()) result.erase(meta);
  return true;
}

bool has_too_many_values(PluginMethod method, JsonValue result) {
  return method == PluginMethod::completion_complete &&
         result.find("completion").find("values").size() > max_completion_values;
}

bool is_structured_alone(PluginMethod method, JsonValue result) {
  return method == PluginMethod::tools_call && result.find("content").is_array() &&
         result.find("content").size() == 0 && result.contains("structuredContent");
}

// For clients that look at nothing else (server/tools, "Structured Content").
JsonDocument with_structured_text(JsonValue result) {
  std::string text = R"({"content":[{"type":"text","text":)";
  append_json_string(text, result.find("structuredContent").text());
  text += "}]";
  for (const auto [key, value] : result.members()) {
    if (key == "content") continue;
    text += ',';
    append_json_string(text, key);
    text.append(":").append(value.text());
  }
  // As deep as what has been read.
  return *JsonDocument::read_own(text + '}', std::numeric_limits<std::size_t>::max());
}

// A result of a tool that has been paid for, with the receipt in its _meta; all else is as the plugin wrote it.
JsonDocument with_receipt(JsonValue result, const std::string& receipt) {
  std::string text(result.text());
  const auto place_of = [&](JsonValue value) {
    return static_cast<std::size_t>(value.text().data() - result.text().data());
  };
  std::string member;
  append_json_string(member, payment_response_key);
  member += ":" + receipt;
  const auto meta = result.find("_meta");
  if (const auto invented = meta.find(payment_response_key)) {
    text.replace(place_of(invented), invented.text().size(), receipt);
  } else if (meta) {
    text.insert(place_of(meta) + 1, member + (meta.size() > 0 ? "," : ""));
  } else {
    text.insert(1, R"("_meta":{)" + member + "},");  // before the content, which it has
  }
  return *JsonDocument::read_own(std::move(text), std::numeric_limits<std::size_t>::max());
}

// What an error says of the URI that was asked for, as its client wrote it: a plugin is asked in another form.
void name_as_asked(Json& error_data, const std::string& asked) {
  if (!error_data.is_object()) return;
  const auto uri = error_data.find("uri");
  if (uri == error_data.end() || !uri->is_string()) return;
  if (normalized_uri(uri->get_ref<const std::string&>()) == normalized_uri(asked)) *uri = asked;
}

std::string masked_text(const std::string& component) {
  return component + " failed. The operator of this server can find out why.";
}

std::string_view words_for(CancelReason reason) {
  switch (reason) {
    case CancelReason::client:
      return "by the client";
    case CancelReason::deadline:
      return "at its deadline";
    case CancelReason::shutdown:
      return "by the end of the server";
    case CancelReason::reload:
      return "by the end of its plugin";
    case CancelReason::none:
      break;
  }
  return "for no reason";
}

std::string words_for_reason(const std::string& because) {
  return "The call was cancelled, because " + because + ".";
}

// What the plugin APIs say in their words of a call that was to end early, where the plugin says nothing else.
bool says_only_cancelled(const std::string& text) {
  auto words = lower_case(text);
  if (!words.ends_with('.')) words += '.';
  for (const auto* const reason :
       {"it took too long", "the server is stopping", "the plugin was replaced or removed"}) {
    if (words == lower_case(words_for_reason(reason))) return true;
  }
  return false;
}

}  // namespace

Result<void, Rejection> resume(SuspendedCall call, const Json& answers, const Catalog& catalog,
                               const CallAnswers& words) {
  auto params = read_json(call.params);
  // As its client calls it, which may be an alias.
  params[call.method == PluginMethod::resources_read ? "uri" : "name"] = call.component;
  auto planned = plan_call(call.method, catalog, params);
  if (planned.has_error()) return planned.error();
  auto& plan = *planned;
  plan.meta = std::move(call.meta);
  auto& all = call.origin.rounds.answers;
  if (all.is_null()) all = Json::object();
  all.update(answers);
  PluginCall::begin(std::move(plan), std::move(call.origin), call.exchange, words);
  return {};
}

std::string words_for_cancellation(const Call& call) {
  switch (call.cancelled()) {
    case CancelReason::deadline: {
      const auto because = call.cancelled_because();
      return words_for_reason(because.empty() ? "it took too long" : because);
    }
    case CancelReason::shutdown:
      return words_for_reason("this server is stopping");
    case CancelReason::reload:
      return words_for_reason("its plugin was replaced or removed");
    case CancelReason::client:
    case CancelReason::none:
      break;
  }
  return {};
}

std::string with_why(const std::string& why, const std::string& by, const std::string& says) {
  if (why.empty()) return says;
  return says_only_cancelled(says) ? why : why + " " + by + says;
}

void add_why(const std::string& why, Json& content) {
  if (why.empty()) return;
  const bool says_it_too = !content.empty() && content.front()["type"] == "text" &&
                           says_only_cancelled(content.front()["text"].get_ref<const std::string&>());
  if (says_it_too) content.erase(content.begin());
  content.insert(content.begin(), Json{{"type", "text"}, {"text", why}});
}

void PluginCall::begin(CallPlan plan, CallOrigin origin, const std::shared_ptr<Exchange>& exchange,
                       const CallAnswers& answers) {
  if (plan.price != nullptr && origin.payment == nullptr)
    return verify_payment(std::move(plan), std::move(origin), exchange, answers);
  begin_now(std::move(plan), std::move(origin), exchange, answers);
}

void PluginCall::verify_payment(CallPlan plan, CallOrigin origin, const std::shared_ptr<Exchange>& exchange,
                                const CallAnswers& answers) {
  struct Waiting {
    CallPlan plan;
    CallOrigin origin;
  };
  const auto waiting = std::make_shared<Waiting>(Waiting{std::move(plan), std::move(origin)});
  const auto refuse = [waiting, exchange, &answers](const PaymentRefusal& refusal) {
    const auto& tool = waiting->plan.component;
    answers.call_log().refused(name_of(Method::tools_call), tool, refusal.why);
    const auto result = JsonDocument::of(refusal.may_pay ? payment_required(*waiting->plan.price, tool, refusal.why)
                                                         : payment_impossible(refusal.why));
    auto reply = answers.result(waiting->origin, PluginMethod::tools_call, result.root());
    reply.is_tool_error = true;
    exchange->reply(std::move(reply));
  };
  auto* const payments = answers.payments();
  if (payments == nullptr) return refuse({"This server takes no payments, and the tool costs", false});
  const auto& meta = waiting->plan.meta;
  if (!meta.is_object() || !meta.contains(payment_key))
    return refuse({"Payment required to call " + waiting->plan.component});
  payments->verify(waiting->plan.price, waiting->plan.component, meta.at(payment_key),
                   [waiting, exchange, refuse, &answers](Payments::Verified verified) {
                     if (verified.has_error()) return refuse(verified.error());
                     waiting->origin.payment = *std::move(verified);
                     begin_now(std::move(waiting->plan), std::move(waiting->origin), exchange, answers);
                   });
}

void PluginCall::begin_now(CallPlan plan, CallOrigin origin, const std::shared_ptr<Exchange>& exchange,
                           const CallAnswers& answers) {
  const auto plugin = plan.plugin;
  // Also of one whose client does not wait for its end.
  if (const auto& record = exchange->record(); record != nullptr) record->note(end_at(plugin->identity(), {}));
  auto call = std::make_shared<PluginCall>(std::move(plan), std::move(origin), exchange, answers);
  exchange->on_abandon([call] { call->cancel(CancelReason::client); });
  plugin->invoke(std::move(call));
}

PluginCall::PluginCall(CallPlan plan, CallOrigin origin, std::shared_ptr<Exchange> exchange, const CallAnswers& answers)
    : Call(plan.method, with_answers(std::move(plan.params), origin.rounds.answers, origin.rounds.state),
           std::move(plan.component)),
      plugin_(std::move(plan.plugin)),
      origin_(std::move(origin)),
      meta_(std::move(plan.meta)),
      output_schema_(std::move(plan.output_schema)),
      price_(std::move(plan.price)),
      exchange_(std::move(exchange)),
      answers_(answers),
      progress_(meta_, origin_.rounds.last_progress),
      span_(origin_.span == nullptr ? nullptr : answers.observer()->begin_part(*origin_.span)),
      began_(span_ != nullptr || answers.call_log().is_on() ? std::optional(std::chrono::steady_clock::now())
                                                            : std::nullopt) {
  limit_time(plan.time_limit);
}

void PluginCall::progress(double progress, double total, std::string_view message) {
  if (origin_.task != nullptr && !message.empty()) origin_.task->say(message);
  progress_.report(progress, total, message, *exchange_);
  answers_.call_log().notified(name_of(Method::notifications_progress), component(), plugin_->identity().name, message);
}

void PluginCall::log(std::int32_t level, std::string_view message) {
  std::string data;
  append_json_string(data, message);
  tell_log(level, message, data);
}

void PluginCall::log_json(std::int32_t level, std::string_view data) {
  tell_log(level, data, data);
}

void PluginCall::tell_log(std::int32_t level, std::string_view message, std::string_view data) const {
  answers_.call_log().notified(name_of(Method::notifications_message), component(), plugin_->identity().name, message);
  const auto severity = std::clamp(static_cast<LogLevel>(level), LogLevel::debug, LogLevel::emergency);
  if (origin_.log_threshold == nullptr || severity < origin_.log_threshold->load()) return;
  std::string params = R"({"level":")" + std::string(name_of(severity)) + R"(","logger":)";
  append_json_string(params, plugin_->identity().name);
  params.append(R"(,"data":)").append(data);
  exchange_->notify_if_room(notification(Method::notifications_message, params + "}"));
}

void PluginCall::complete(Outcome outcome, std::string_view json) {
  progress_.finish(*exchange_);
  if (json.size() > max_unread_answer && outcome != Outcome::input_required && !exchange_->is_awaited()) {
    tell_end("client gone");
    return exchange_->reply({});
  }
  if (outcome == Outcome::input_required) return ask(json);
  if (is_to_be_paid(outcome, json)) return settle(std::string(json));
  origin_.payment.reset();  // before its client can use it again
  exchange_->reply(answer(outcome, json));
}

// Nobody pays for a failure, nor for what he does not get.
bool PluginCall::is_to_be_paid(Outcome outcome, std::string_view json) {
  if (origin_.payment == nullptr || price_ == nullptr || outcome != Outcome::result || !exchange_->is_awaited())
    return false;
  const auto result = read_plugin_result(method(), json, output_schema_);
  return result.has_value() && !failure_of_tool(result->root());
}

void PluginCall::settle(std::string json) {
  origin_.payment->settle([self = shared_from_this(), json = std::move(json)](const Settlement& settlement) {
    self->exchange_->reply(self->answer_settled(json, settlement));
  });
}

Reply PluginCall::answer_settled(const std::string& json, const Settlement& settlement) const {
  if (settlement.error.empty()) {
    // It has been checked, and what has been taken is not given back.
    const auto result = *JsonDocument::read(json, std::numeric_limits<std::size_t>::max());
    return answer_result(with_receipt(result.root(), dump(settlement.response)));
  }
  const auto why = "Payment settlement failed: " + settlement.error;
  tell_end("payment not settled", why);
  const auto result = JsonDocument::of(payment_required(*price_, component(), why, settlement.response));
  auto reply = answers_.result(origin_, method(), result.root());
  reply.is_tool_error = true;
  return reply;
}

void PluginCall::refuse(std::string error) {
  progress_.finish(*exchange_);
  origin_.payment.reset();
  exchange_->reply(answer_error(error, {}, ErrorTexts::shown));
}

std::size_t memory_of(const SuspendedCall& call) {
  const auto& earlier = call.origin.rounds;
  return call.params.size() + earlier.state.size() + memory_of(call.meta) + memory_of(earlier.answers);
}

void PluginCall::ask(std::string_view json) {
  auto state = read_input_state(json);
  const auto refuse_it = [&](const std::string& why) {
    origin_.payment.reset();
    if (!state.empty()) plugin_->not_answered(state, error_code::invalid_params, why);
    exchange_->reply(misbehaviour(why));
  };
  if (method() == PluginMethod::completion_complete) return refuse_it("it asks the client, which a completion cannot");
  auto requests = read_input_requests(json);
  if (requests.has_error()) return refuse_it(requests.error().message);
  const bool is_first = origin_.rounds.answers.is_null();
  SuspendedCall call{method(), is_first ? params() : without_answers(params()), component(), meta_, origin_, exchange_};
  if (++call.origin.rounds.count > max_rounds) {
    return refuse_it("it asked the client more than " + std::to_string(max_rounds) + " times");
  }
  call.origin.rounds.last_progress = progress_.last();
  const auto awaited = state.empty() ? nullptr : std::make_shared<AwaitedAnswers>(plugin_, state);
  if (awaited != nullptr && origin_.session != nullptr) awaited->hold();
  call.origin.rounds.awaited = awaited;
  call.origin.rounds.state = std::move(state);
  // What is asked again is not answered by what was said before.
  if (auto& answers = call.origin.rounds.answers; answers.is_object()) {
    for (const auto& [name, request] : requests->items())
      answers.erase(name);
  }
  origin_.payment.reset();  // whoever has the suspended call decides how long that is kept
  const auto reads = take_resource_reads(*requests);
  if (reads.empty()) {
    tell_end("asks the client", {}, json);
    call.origin.rounds.client_was_asked = true;
    answers_.ask(std::move(call), *std::move(requests));
    // A call that is no task ends here, and its client comes back or does not.
    if (awaited != nullptr && origin_.task != nullptr && origin_.task->has_begun()) awaited->hold();
    return;
  }
  // What it asks the client besides it asks again, when it has these.
  tell_end("reads resources", {}, json);
  const auto caller = origin_.caller;
  ResourceReads::begin(reads, *answers_.catalog_for(caller->principal), caller, exchange_,
                       [&answers = answers_, call = std::move(call)](const Json& read) { answers.go_on(call, read); });
}

Reply PluginCall::answer(Outcome outcome, std::string_view json) const {
  if (outcome != Outcome::result) return answer_error(json, words_for_cancellation(*this), plugin_->error_texts());
  auto result = read_plugin_result(method(), json, output_schema_);
  return result.has_error() ? misbehaviour(result.error().message) : answer_result(*std::move(result));
}

Reply PluginCall::answer_result(JsonDocument document) const {
  const auto change = [&document](auto how) {
    auto tree = document.root().json();
    how(tree);
    document = JsonDocument::of(tree);
  };
  if (has_too_many_values(method(), document.root())) {
    change(cut_completion);
  } else if (is_structured_alone(method(), document.root())) {
    document = with_structured_text(document.root());
  } else if (has_uris_to_encode(method(), document.root())) {
    change([this](Json& result) { encode_uris(method(), result); });
  }
  auto failure = method() == PluginMethod::tools_call ? failure_of_tool(document.root()) : std::nullopt;
  if (failure) {
    const auto why = words_for_cancellation(*this);
    if (const auto told = told_failure(document.root(), why)) document = JsonDocument::of(*told);
    failure = with_why(why, {}, *failure);
    count_failure(*failure);
  }
  tell_end(failure ? "tool error" : "ok", failure.value_or(""), document.root().text());
  auto reply = answers_.result(origin_, method(), document.root());
  reply.is_tool_error = failure.has_value();
  return reply;
}

Reply PluginCall::answer_error(std::string_view json, const std::string& why, ErrorTexts texts) const {
  auto error = read_plugin_error(json);
  if (error.has_error()) return misbehaviour(error.error().message);
  error->message = with_why(why, "Plugin " + plugin_->identity().name + " says: ", error->message);
  count_failure(error->message);
  tell_end("error " + std::to_string(error->code), error->message, json);
  if (method() == PluginMethod::resources_read) name_as_asked(error->data, component());
  // Another server that lacks what a client cannot do says so, and what it says can be checked.
  if (error->code == error_code::missing_client_capability) {
    const auto missing = missing_capabilities_in(error->data, origin_.caller->capabilities);
    if (!missing.empty()) return answers_.missing_capability(origin_.id, *error, missing);
  }
  // The plugin has chosen the others.
  if (texts == ErrorTexts::masked && error->code == error_code::internal_error)
    *error = {error_code::internal_error, (why.empty() ? "" : why + " ") + masked_text(component())};
  return answers_.error(origin_.id, *error);
}

std::optional<Json> PluginCall::told_failure(JsonValue result, const std::string& why) const {
  if (why.empty() && !result.find("_meta").contains(unexpected_mark)) return std::nullopt;
  auto told = result.json();
  const bool is_unexpected = take_unexpected_mark(told);
  auto& content = told["content"];
  if (is_unexpected && plugin_->error_texts() == ErrorTexts::masked) {
    told.erase("structuredContent");
    content = {{{"type", "text"}, {"text", masked_text(component())}}};
  }
  add_why(why, content);
  return told;
}

void PluginCall::count_failure(std::string_view why) const {
  // Whoever cancels a call gets what he asked for.
  if (cancelled() != CancelReason::client) plugin_->call_failed(component() + ": " + std::string(why));
}

Reply PluginCall::misbehaviour(std::string_view reason) const {
  plugin_->answered_wrongly(component() + ": answered with something invalid: " + std::string(reason));
  tell_end("invalid answer", reason);
  return answers_.error(origin_.id, {error_code::internal_error,
                                     invalid_answer(plugin_->identity().name, method(), component(), reason)});
}

void PluginCall::tell_end(std::string outcome, std::string_view error, std::string_view answer) const {
  if (const auto& record = exchange_->record(); record != nullptr) record->note(end_at(plugin_->identity(), outcome));
  if (!began_) return;
  const auto took = std::chrono::steady_clock::now() - *began_;
  const bool is_well =
      outcome == "ok" || outcome == "asks the client" || outcome == "reads resources" || outcome == "client gone";
  if (cancelled() != CancelReason::none) outcome.append(", cancelled ").append(words_for(cancelled()));
  if (span_ != nullptr) {
    const PluginCallEnd end{.span = *span_,
                            .method = name_of(method()),
                            .plugin = plugin_->identity().name,
                            .outcome = outcome,
                            .is_error = !is_well,
                            .took = took};
    answers_.observer()->plugin_ended(end);
  }
  if (!answers_.call_log().is_on()) return;
  answers_.call_log().ended({.method = name_of(method()),
                             .component = component(),
                             .plugin = plugin_->identity().name,
                             .outcome = std::move(outcome),
                             .took = took,
                             .error = error,
                             .params = params(),
                             .answer = answer});
}

std::string PluginCall::context() const {
  auto context = context_json(*origin_.caller, deadline());
  auto trace = meta_.is_null() ? Json() : trace_context_in(meta_);
  // What it goes on with is its own part.
  if (span_ != nullptr) trace["traceparent"] = trace_parent_of(*span_);
  if (!trace.is_null()) context["trace"] = std::move(trace);
  if (!meta_.is_null()) context["meta"] = meta_;
  // Whoever has it could take the money.
  if (price_ != nullptr && meta_.is_object()) context["meta"].erase(payment_key);
  return dump(context);
}

std::string PluginCall::caller() const {
  return caller_text(*origin_.caller);
}

}  // namespace mcph
