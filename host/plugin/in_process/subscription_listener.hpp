// Who in a plugin is told which of its resources clients are subscribed to: the mcp_subscription_listener that it gave,
// called on threads of the executor, one call at a time. Shared by the plugin and by what is under way there, which may
// begin when the plugin is gone, and does nothing then; any thread.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include <mcp/subscriptions.h>

#include "base/mutex.hpp"
#include "plugin/subscribed_resources.hpp"
#include "runtime/executor.hpp"

namespace mcph {

class SubscriptionListener : public std::enable_shared_from_this<SubscriptionListener> {
 public:
  // Runs a call of the plugin's code as that has to be run; not after end.
  using RunGuarded = std::function<void(const std::function<void()>& call)>;

  // The executor outlives it.
  SubscriptionListener(std::shared_ptr<SubscribedResources> resources, Executor& executor, RunGuarded run_guarded)
      : resources_(std::move(resources)), executor_(executor), run_guarded_(std::move(run_guarded)) {}

  // As mcp_subscriptions.listen. Waits for a call of the former one, unless that is the caller.
  void listen(const mcp_subscription_listener* listener);
  // No call runs any more, or ever will.
  void end();

 private:
  void tell();
  void deliver(SubscribedResources::Ticket ticket);
  // False: somebody else is told by now.
  bool call(SubscribedResources::Ticket ticket, const std::string& uri, bool is_subscribed);
  void wait_for_call(MutexLock& lock) REQUIRES(mutex_);

  const std::shared_ptr<SubscribedResources> resources_;
  Executor& executor_;
  const RunGuarded run_guarded_;
  Mutex mutex_;
  Condition returned_;
  std::optional<mcp_subscription_listener> listener_ GUARDED_BY(mutex_);
  SubscribedResources::Ticket ticket_ GUARDED_BY(mutex_) = 0;
  std::optional<std::thread::id> caller_ GUARDED_BY(mutex_);  // the thread that runs the plugin's code; nothing: none
  bool ended_ GUARDED_BY(mutex_) = false;
};

}  // namespace mcph
