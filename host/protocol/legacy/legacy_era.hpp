// Revisions 2024-11-05 to 2025-11-25: a client opens a session with initialize, and later requests are understood by
// what was negotiated there. One for each server; any thread. One function a method of those revisions, which is why it
// has so many.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "base/result.hpp"
#include "catalog/published_catalog.hpp"
#include "protocol/calls/plugin_call.hpp"
#include "protocol/exchange.hpp"
#include "protocol/message.hpp"
#include "protocol/request_context.hpp"
#include "protocol/revisions.hpp"
#include "protocol/server_identity.hpp"
#include "protocol/state/serving.hpp"
#include "protocol/state/session.hpp"
#include "runtime/memory_budget.hpp"

namespace mcph {

class LegacyEra final : public CallAnswers {
 public:
  // Newest first.
  static constexpr auto revisions = legacy_revisions;
  static bool is_revision(std::string_view version);
  // JSON-RPC batches came and went with one revision (2025-06-18, changelog).
  static bool has_batches(std::string_view version) { return version == "2025-03-26"; }

  // Whoever observes calls outlives it; null: nobody does.
  LegacyEra(PublishedCatalog& catalog, const ServerIdentity& identity, const ServingOptions& options, Timers& timers,
            Log& log, CallObserver* observer = nullptr);

  // Settles an initialize request, or says what is wrong with it.
  static Result<Caller, RpcError> negotiate(JsonValue params);
  Reply initialize_reply(std::string_view id, const Caller& caller) const;

  // Answers a request of a session, but for initialize. The context says who has sent it, by which it may do what it
  // asks for, whatever the session's earlier requests have proven.
  void handle(const Message& request, const std::shared_ptr<Session>& session, const RequestContext& context,
              const std::shared_ptr<Exchange>& exchange);
  // Takes a notification of a session.
  static void take(const Message& notification, Session& session);

  Reply result(const CallOrigin& origin, PluginMethod method, JsonValue result) const override;
  Reply error(std::string_view id, const RpcError& error) const override;
  // Sends the requests to the client, and begins the call again when it has answered.
  void ask(SuspendedCall call, OrderedJson input_requests) const override;
  void go_on(const SuspendedCall& call, const Json& answers) const override;
  std::shared_ptr<const Catalog> catalog_for(const Principal& principal) const override {
    return catalog_.current(principal);
  }
  const CallLog& call_log() const override { return call_log_; }
  CallObserver* observer() const override { return observer_; }
  Payments* payments() const override { return options_.payments; }

 private:
  struct Request {
    std::string id;
    std::string method_name;  // for the log
    JsonValue params;         // gone when the handler has returned
    std::shared_ptr<Session> session;
    std::shared_ptr<const Caller> caller;
    std::shared_ptr<Exchange> exchange;
    std::string component = {};            // for the log
    const SenderLimits* limits = nullptr;  // gone when the handler has returned; null: there are none
  };
  using Handler = void (LegacyEra::*)(Request&&);
  static Handler find_handler(std::optional<Method> method);

  // What its client may see.
  std::shared_ptr<const Catalog> view_of(const Request& request) const;

  void ping(Request&& request);
  void list_tools(Request&& request);
  void list_resources(Request&& request);
  void list_resource_templates(Request&& request);
  void list_prompts(Request&& request);
  void call_tool(Request&& request);
  void read_resource(Request&& request);
  void get_prompt(Request&& request);
  void complete_argument(Request&& request);
  void set_log_level(Request&& request);
  void subscribe(Request&& request);
  void unsubscribe(Request&& request);

  void list(const Request& request, const ComponentList& components, std::string_view field) const;
  using Plan = Planned (*)(const Catalog&, JsonValue);
  void perform(Request&& request, Plan plan);
  static void refuse(std::string_view id, const Caller& caller, Exchange& exchange, Rejection rejection);
  // Of the arguments and answers of all calls that wait for their clients.
  static constexpr std::size_t max_suspended_bytes = std::size_t{64} << 20;
  // Ends a call whose plugin asked what is not answered.
  void give_up(const SuspendedCall& call, const PendingInputRequests::NoAnswers& no_answers) const;
  void perform(Request&& request, Planned planned);

  PublishedCatalog& catalog_;
  const ServingOptions options_;
  Timers& timers_;
  const std::string identity_;       // JSON
  const std::string full_identity_;  // for the revision that knows all of it
  const CallLog call_log_;
  CallObserver* const observer_;
  const std::shared_ptr<MemoryBudget> suspended_ = std::make_shared<MemoryBudget>(max_suspended_bytes, 0);
};

}  // namespace mcph
