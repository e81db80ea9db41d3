// Revision 2026-07-28: every request carries its version and its client's capabilities, nothing is remembered between
// requests, and changes travel on the streams of subscriptions/listen. One for each server; any thread. One function a
// method of the revision, which is why it has so many.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/mutex.hpp"
#include "base/weak_list.hpp"
#include "catalog/published_catalog.hpp"
#include "protocol/calls/plugin_call.hpp"
#include "protocol/exchange.hpp"
#include "protocol/message.hpp"
#include "protocol/notification_stream.hpp"
#include "protocol/request_context.hpp"
#include "protocol/revisions.hpp"
#include "protocol/server_identity.hpp"
#include "protocol/state/request_state.hpp"
#include "protocol/state/serving.hpp"
#include "protocol/state/tasks.hpp"

namespace mcph {

class Subscription;
using SubscribedTasks = std::map<std::string, std::shared_ptr<Task>>;
struct ReturnedAnswers;

class ModernEra final : public CallAnswers {
 public:
  static constexpr auto revision = newest_revision;

  // Whoever observes calls outlives it; null: nobody does.
  ModernEra(PublishedCatalog& catalog, const ServerIdentity& identity, const ServingOptions& options, Timers& timers,
            Log& log, CallObserver* observer = nullptr);

  // Methods that no other revision has, so that whoever calls one means this era.
  static bool has_alone(std::optional<Method> method) {
    return method == Method::server_discover || method == Method::subscriptions_listen ||
           method == Method::tasks_update;
  }

  // Methods that it has, whatever others have.
  static bool has_method(std::optional<Method> method) { return find_handler(method) != nullptr; }

  // Answers a request. `output` is where its client hears notifications, if that has one place for them, such as stdio;
  // null: on the exchange.
  void handle(const Message& message, const RequestContext& context, const std::shared_ptr<Exchange>& exchange,
              const std::shared_ptr<NotificationStream>& output = nullptr);

  // Ends the subscriptions and tasks of those whose credentials are good no longer.
  void end_what_is_of(const IsGood& is_good);
  // Ends every subscription, open or still to come, as "Graceful Closure" says (basic/patterns/subscriptions), and
  // every task.
  void end();

  // How many there are.
  std::size_t subscriptions();
  std::size_t tasks() const { return tasks_.count(); }

  Reply result(const CallOrigin& origin, PluginMethod method, JsonValue result) const override;
  Reply error(std::string_view id, const RpcError& error) const override;
  Reply missing_capability(std::string_view id, const RpcError& error, const Json& missing) const override;
  // Answers the request with the input requests, and leaves it to the client to come back.
  void ask(SuspendedCall call, OrderedJson input_requests) const override;
  void go_on(const SuspendedCall& call, const Json& answers) const override;
  void give_up(const SuspendedCall& call, const std::string& why) const;
  std::shared_ptr<const Catalog> catalog_for(const Principal& principal) const override {
    return catalog_.current(principal);
  }
  const CallLog& call_log() const override { return call_log_; }
  CallObserver* observer() const override { return observer_; }
  Payments* payments() const override { return options_.payments; }

 private:
  struct Request {
    std::string id;
    JsonValue params;  // gone when the handler has returned
    std::shared_ptr<const Caller> caller;
    std::shared_ptr<const LogThreshold> log_threshold;
    std::shared_ptr<Exchange> exchange;
    std::shared_ptr<NotificationStream> output;
    const MirroredFields* mirrored;  // gone when the handler has returned, like the next
    const SenderLimits* limits;      // null: there are none
    std::string method_name = {};    // for the log, like the next
    std::string component = {};
  };
  using Handler = void (ModernEra::*)(Request&&);
  static Handler find_handler(std::optional<Method> method);

  // Takes what the message says about its client into the request; an error if it does not say what it must.
  static Result<void, RpcError> check(const Message& message, Request& request, const Principal& principal);

  // What its client may see.
  std::shared_ptr<const Catalog> view_of(const Request& request) const;

  void discover(Request&& request);
  void list_tools(Request&& request);
  void list_resources(Request&& request);
  void list_resource_templates(Request&& request);
  void list_prompts(Request&& request);
  void call_tool(Request&& request);
  void read_resource(Request&& request);
  void get_prompt(Request&& request);
  void complete_argument(Request&& request);
  void get_task(Request&& request);
  void update_task(Request&& request);
  void cancel_task(Request&& request);
  void listen(Request&& request);

  using List = const ComponentList& (Catalog::*)() const;
  void list(const Request& request, List which, std::string_view field) const;
  // What this reader sees, everybody sees.
  bool is_for_all(const Catalog& view) const;
  std::string caching(const Catalog& view) const;
  Reply read_result(const CallOrigin& origin, JsonValue result) const;
  using Plan = Planned (*)(const Catalog&, JsonValue, const MirroredFields*);
  void perform(Request&& request, Plan plan);
  void begin(Request&& request, Planned planned, const ReturnedAnswers& returned);
  // A call that comes to no plugin: the log hears why, and the client is answered.
  void refuse(const Request& request, std::string_view why, Reply reply) const;
  void reject(const Request& request, Rejection rejection) const;
  Reply rejection_reply(std::string_view id, Rejection rejection) const;
  bool has_room_for_subscription();
  std::vector<std::shared_ptr<Subscription>> open_subscriptions();
  // Those that a subscription asks for and that there are. Nothing if the client does not know tasks.
  std::optional<SubscribedTasks> read_task_filter(const Request& request, const Json& filter) const;
  // Null after refusing the request.
  std::shared_ptr<Task> find_task(const Request& request) const;
  // Null if there is none, or none of the client's own, or it is of a tool that he may not call any more.
  std::shared_ptr<Task> find_task(const Request& request, const std::string& id) const;
  // To a client that does not know tasks, where they are needed.
  static Reply tasks_required_reply(std::string_view id);
  Reply complete(std::string_view id, std::initializer_list<std::string_view> members) const;

  PublishedCatalog& catalog_;
  const ServingOptions options_;
  const RequestState state_;
  const std::string identity_;       // JSON
  const std::string full_identity_;  // JSON
  const std::string opening_;        // of every complete result: its type and who answers
  const std::string caching_;        // the beginning of the freshness hints of lists
  Tasks tasks_;
  const CallLog call_log_;
  CallObserver* const observer_;

  Mutex mutex_;
  static constexpr std::size_t max_subscriptions = 100'000;
  WeakList<Subscription> subscriptions_ GUARDED_BY(mutex_);
  bool ending_ GUARDED_BY(mutex_) = false;
};

}  // namespace mcph
