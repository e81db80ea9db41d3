// A client's request on its way through a plugin: what the plugin reports goes to the request's exchange, in the words
// of the era that the request came in. Shared by the exchange, which can cancel it, and the plugin, which completes it;
// any thread.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "catalog/caller_view.hpp"
#include "plugin/plugin.hpp"
#include "protocol/caller.hpp"
#include "protocol/calls/awaited_answers.hpp"
#include "protocol/calls/call_log.hpp"
#include "protocol/calls/component_calls.hpp"
#include "protocol/calls/payments.hpp"
#include "protocol/calls/progress.hpp"
#include "protocol/exchange.hpp"
#include "protocol/log_level.hpp"
#include "protocol/message.hpp"

namespace mcph {

class Session;
class Task;

// What the client has answered in earlier rounds of a call, by the names under which the plugin asked.
struct EarlierRounds {
  Json answers = nullptr;  // null: this is the first round
  Json offered = nullptr;  // answers to what nobody has asked yet
  std::string state = {};  // what the plugin wants to have handed back with the answers
  unsigned count = 0;
  bool client_was_asked = false;  // and not only the host, for resources
  std::optional<double> last_progress = {};
  // Null where the plugin has not said what for.
  std::shared_ptr<AwaitedAnswers> awaited = {};
};

// Where a call comes from.
struct CallOrigin {
  std::string id;  // of the request
  std::shared_ptr<const Caller> caller;
  std::shared_ptr<const LogThreshold> log_threshold = {};  // null: the client wants to hear nothing
  std::shared_ptr<Session> session = {};                   // of the legacy era
  std::shared_ptr<Task> task = {};                         // that the call may become, or is
  EarlierRounds rounds = {};
  std::shared_ptr<const TraceSpan> span = {};  // of the request; null: it is not traced
  std::shared_ptr<Payment> payment = {};       // for a tool that costs, once it has been found to be good
};

// A call that cannot go on before its client has answered. It holds no lease: with the answers it begins again, on
// whatever version of the plugin is served then.
struct SuspendedCall {
  PluginMethod method;
  std::string params;     // as the plugin was given them, without the answers
  std::string component;  // for messages
  Json meta;
  CallOrigin origin;
  std::shared_ptr<Exchange> exchange;
};

// About how much memory it takes, in bytes.
std::size_t memory_of(const SuspendedCall& call);

// How an era words the end of a call. Lives as long as the host.
class CallAnswers {
 public:
  virtual ~CallAnswers() = default;
  // The result has been read and found to be right.
  virtual Reply result(const CallOrigin& origin, PluginMethod method, JsonValue result) const = 0;
  virtual Reply error(std::string_view id, const RpcError& error) const = 0;
  // `error` says what the client would have to be capable of, and it is true that it is not.
  virtual Reply missing_capability(std::string_view id, const RpcError& error, const Json& /*missing*/) const {
    return this->error(id, error);
  }
  // Asks the client what the plugin asks, {name: {"method", "params"}}, and takes over the call's exchange.
  virtual void ask(SuspendedCall call, OrderedJson input_requests) const = 0;
  // Begins it again with what has been answered meanwhile.
  virtual void go_on(const SuspendedCall& call, const Json& answers) const = 0;
  virtual std::shared_ptr<const Catalog> catalog_for(const Principal& principal) const = 0;
  // Who hears how each call ended.
  virtual const CallLog& call_log() const = 0;
  // Null: nobody else does.
  virtual CallObserver* observer() const { return nullptr; }
  // Null: nobody takes any, and a tool that costs cannot be called.
  virtual Payments* payments() const { return nullptr; }
};

// Begins a suspended call again with what the client has answered meanwhile. Why not, where the component is no more or
// its arguments are no longer right.
Result<void, Rejection> resume(SuspendedCall call, const Json& answers, const Catalog& catalog,
                               const CallAnswers& words);

// Why a call that has failed was to end early, as a sentence. Empty: it was not, or its client wanted that.
std::string words_for_cancellation(const Call& call);
// That, and then what the plugin says, after `by`; that alone where the plugin says no more than that. Without a `why`
// what the plugin says.
std::string with_why(const std::string& why, const std::string& by, const std::string& says);
// The same of the content of a tool's result.
void add_why(const std::string& why, Json& content);

class PluginCall final : public Call, public CallerView, public std::enable_shared_from_this<PluginCall> {
 public:
  // A plugin that asks again and again has lost its way.
  static constexpr unsigned max_rounds = 32;

  // Begins the call: gives it to the plugin and makes the exchange's cancellation reach it. One of a tool that costs
  // begins when its payment has been found to be good; until then its client is answered what it costs.
  static void begin(CallPlan plan, CallOrigin origin, const std::shared_ptr<Exchange>& exchange,
                    const CallAnswers& answers);

  PluginCall(CallPlan plan, CallOrigin origin, std::shared_ptr<Exchange> exchange, const CallAnswers& answers);

  void progress(double progress, double total, std::string_view message) override;
  // For its client, a task, or the log: whoever begins to trace later sees no progress of it.
  bool wants_progress() const override {
    return progress_.is_wanted() || origin_.task != nullptr || answers_.call_log().is_on();
  }
  void complete(Outcome outcome, std::string_view json) override;
  void refuse(std::string error) override;
  void log(std::int32_t level, std::string_view message) override;
  void log_json(std::int32_t level, std::string_view data) override;
  std::string context() const override;
  std::string caller() const override;
  std::vector<std::string> principal_key() const override { return origin_.caller->principal.key(); }
  std::shared_ptr<const Catalog> caller_view() const override {
    return answers_.catalog_for(origin_.caller->principal);
  }

 private:
  static void verify_payment(CallPlan plan, CallOrigin origin, const std::shared_ptr<Exchange>& exchange,
                             const CallAnswers& answers);
  static void begin_now(CallPlan plan, CallOrigin origin, const std::shared_ptr<Exchange>& exchange,
                        const CallAnswers& answers);

  void tell_log(std::int32_t level, std::string_view message, std::string_view data) const;
  void ask(std::string_view json);
  // Whether the answer is one that a payment is taken for.
  bool is_to_be_paid(Outcome outcome, std::string_view json);
  void settle(std::string json);
  Reply answer_settled(const std::string& json, const Settlement& settlement) const;
  Reply answer(Outcome outcome, std::string_view json) const;
  // It has been read and found to be right.
  Reply answer_result(JsonDocument document) const;
  // `why` is what the host says of it, if anything; what the plugin says follows.
  Reply answer_error(std::string_view json, const std::string& why, ErrorTexts texts) const;
  // What the client is told of a tool that says that it failed, and that it was cancelled, if it was; nothing: what it
  // says itself.
  std::optional<Json> told_failure(JsonValue result, const std::string& why) const;
  Reply misbehaviour(std::string_view reason) const;
  // For the plugin's status.
  void count_failure(std::string_view why) const;
  // For the log and who observes calls, once.
  void tell_end(std::string outcome, std::string_view error = {}, std::string_view answer = {}) const;

  const std::shared_ptr<Plugin> plugin_;  // the lease
  CallOrigin origin_;                     // its payment is given up where none is taken
  const Json meta_;                       // the request's own; null: none
  const std::optional<Schema> output_schema_;
  const std::shared_ptr<const Price> price_;  // null: it is free
  const std::shared_ptr<Exchange> exchange_;
  const CallAnswers& answers_;
  Progress progress_;
  const std::shared_ptr<const TraceSpan> span_;                       // of the plugin's part; null: it is not traced
  const std::optional<std::chrono::steady_clock::time_point> began_;  // nothing: nobody wants to hear of calls
};

}  // namespace mcph
