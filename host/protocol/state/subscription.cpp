#include "protocol/state/subscription.hpp"

#include <utility>

#include "base/json_text.hpp"
#include "protocol/message.hpp"
#include "protocol/request_meta.hpp"
#include "protocol/state/tasks.hpp"

namespace mcph {

std::shared_ptr<Subscription> Subscription::open(std::string id, SubscriptionFilter wanted,
                                                 const std::shared_ptr<Exchange>& exchange,
                                                 std::weak_ptr<NotificationStream> output, Principal principal,
                                                 PublishedCatalog& catalog) {
  // They are not kept beyond what the bounds let in, and tasks not beyond their own time.
  const auto resources = std::exchange(wanted.resources, {});
  const auto tasks = std::exchange(wanted.tasks, {});
  exchange->release_memory();
  auto subscription = std::make_shared<Subscription>(std::move(id), std::move(wanted), exchange, std::move(output),
                                                     std::move(principal), catalog);
  {
    // A change that is published meanwhile waits for the acknowledgment to be out.
    const MutexLock lock(subscription->mutex_);
    catalog.listen(subscription);
    for (const auto& uri : resources) {
      // What a bound keeps out is not acknowledged.
      [[maybe_unused]] const auto added =
          subscription->subscriptions_.add(uri, *catalog.resource_updates(), subscription);
    }
    std::vector<std::string> task_ids;
    for (const auto& [task_id, task] : tasks) {
      if (task->listen(subscription)) task_ids.push_back(task_id);
    }
    subscription->acknowledge(resources, task_ids);
    // A task may have ended before anybody listened.
    for (const auto& task_id : task_ids)
      subscription->tell(tasks.at(task_id)->json());
  }
  // Held by the exchange until that has ended.
  exchange->on_abandon([subscription] {});
  return subscription;
}

void Subscription::acknowledge(const std::vector<std::string>& wanted_resources,
                               const std::vector<std::string>& task_ids) {
  auto honoured = Json::object();
  if (wanted_.lists.tools) honoured["toolsListChanged"] = true;
  if (wanted_.lists.prompts) honoured["promptsListChanged"] = true;
  if (wanted_.lists.resources) honoured["resourcesListChanged"] = true;
  if (wanted_.of_resources) {
    auto& resources = honoured["resourceSubscriptions"] = Json::array();
    for (const auto& uri : wanted_resources) {
      if (subscriptions_.contains(uri)) resources.push_back(uri);
    }
  }
  if (!task_ids.empty()) honoured["taskIds"] = task_ids;
  exchange_->notify(notification(Method::notifications_subscriptions_acknowledged,
                                 "{" + meta() + R"(,"notifications":)" + dump(honoured) + "}"));
}

void Subscription::lists_changed(ListKinds kinds) {
  const MutexLock lock(mutex_);
  const auto tell = [&](bool changed, Method method) {
    if (changed) exchange_->notify(notification(method, "{" + meta() + "}"));
  };
  tell(kinds.tools && wanted_.lists.tools, Method::notifications_tools_list_changed);
  tell(kinds.resources && wanted_.lists.resources, Method::notifications_resources_list_changed);
  tell(kinds.prompts && wanted_.lists.prompts, Method::notifications_prompts_list_changed);
}

void Subscription::resource_updated(const std::string& uri) {
  if (!catalog_.current(principal_)->may_read(uri)) return;
  const MutexLock lock(mutex_);
  exchange_->notify(notification(Method::notifications_resources_updated, updated_params(uri, meta() + ",")));
}

void Subscription::task_changed(const Task& task, const std::string& json) {
  // Nothing is told of one whose tool the principal may not call any more.
  if (!may_follow(task, principal_, catalog_)) return;
  const MutexLock lock(mutex_);
  tell(json);
}

void Subscription::tell(const std::string& task) {
  exchange_->notify(notification(Method::notifications_tasks, "{" + meta() + "," + task + "}"));
}

void Subscription::end(std::string_view server_info_json) {
  // On stdio a server must say so too (basic/patterns/cancellation). After the result, so that a client that stops at
  // the first of the two takes the end for the orderly one that it is.
  auto said_too = [output = output_, text = notification(Method::notifications_cancelled,
                                                         "{" + meta() + R"(,"requestId":)" + id_ + "}")] {
    if (const auto stream = output.lock()) stream->send(text);
  };
  exchange_->reply(
      {result_response(id_, R"({"resultType":"complete","_meta":{")" + std::string(meta_key::subscription_id) +
                                R"(":)" + id_ + R"(,")" + std::string(meta_key::server_info) + R"(":)" +
                                std::string(server_info_json) + "}}")},
      std::move(said_too));
}

std::string Subscription::meta() const {
  return R"("_meta":{")" + std::string(meta_key::subscription_id) + R"(":)" + id_ + "}";
}

}  // namespace mcph
