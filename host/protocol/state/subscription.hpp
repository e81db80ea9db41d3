// One open subscriptions/listen request (2026-07-28, basic/patterns/subscriptions): acknowledged first, then told of
// the lists and resources it asked for, until the client cancels it or the server ends it. It and its exchange keep
// each other until then; any thread.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/mutex.hpp"
#include "catalog/published_catalog.hpp"
#include "protocol/calls/task.hpp"
#include "protocol/exchange.hpp"
#include "protocol/notification_stream.hpp"
#include "protocol/state/resource_subscriptions.hpp"

namespace mcph {

// What a request asks to be told of.
struct SubscriptionFilter {
  ListKinds lists;
  bool of_resources = false;                                // also if none of them is served
  std::vector<std::string> resources = {};                  // those that are
  std::map<std::string, std::shared_ptr<Task>> tasks = {};  // by their ids
};

class Subscription final : public ListListener, public ResourceListener, public TaskListener {
 public:
  // `id` is the request's id as JSON text, `output` the stream on which a stdio client also hears of the end, or null.
  // Sends the acknowledgment before any change can be told.
  static std::shared_ptr<Subscription> open(std::string id, SubscriptionFilter wanted,
                                            const std::shared_ptr<Exchange>& exchange,
                                            std::weak_ptr<NotificationStream> output, Principal principal,
                                            PublishedCatalog& catalog);

  Subscription(std::string id, SubscriptionFilter wanted, std::shared_ptr<Exchange> exchange,
               std::weak_ptr<NotificationStream> output, Principal principal, const PublishedCatalog& catalog)
      : id_(std::move(id)),
        wanted_(std::move(wanted)),
        exchange_(std::move(exchange)),
        output_(std::move(output)),
        principal_(std::move(principal)),
        catalog_(catalog) {}

  void lists_changed(ListKinds kinds) override;
  Principal principal() const override { return principal_; }
  // Nothing is told of what the principal may not read any more.
  void resource_updated(const std::string& uri) override;
  void task_changed(const Task& task, const std::string& json) override;

  // Replies to the request, which ends it. `server_info_json` names who answers.
  void end(std::string_view server_info_json);

 private:
  void acknowledge(const std::vector<std::string>& wanted_resources, const std::vector<std::string>& task_ids)
      REQUIRES(mutex_);
  void tell(const std::string& task) REQUIRES(mutex_);
  std::string meta() const;

  const std::string id_;
  const SubscriptionFilter wanted_;
  const std::shared_ptr<Exchange> exchange_;
  const std::weak_ptr<NotificationStream> output_;
  const Principal principal_;
  const PublishedCatalog& catalog_;
  Mutex mutex_;
  ResourceSubscriptions subscriptions_ GUARDED_BY(mutex_);
};

}  // namespace mcph
