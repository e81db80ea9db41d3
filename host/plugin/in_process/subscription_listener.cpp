#include "plugin/in_process/subscription_listener.hpp"

#include <algorithm>
#include <cstring>
#include <memory>

namespace mcph {
namespace {

// What the plugin's header did not know yet stays null.
mcp_subscription_listener copy_of(const mcp_subscription_listener& given) {
  mcp_subscription_listener copy{};
  std::memcpy(&copy, &given, std::min<std::size_t>(given.size, sizeof copy));
  return copy;
}

}  // namespace

void SubscriptionListener::listen(const mcp_subscription_listener* listener) {
  {
    MutexLock lock(mutex_);
    wait_for_call(lock);
    if (ended_) return;
    listener_.reset();
    if (listener == nullptr) return resources_->end();
    listener_ = copy_of(*listener);
    ticket_ = resources_->follow([weak = weak_from_this()] {
      if (const auto self = weak.lock()) self->tell();
    });
  }
  tell();
}

void SubscriptionListener::end() {
  MutexLock lock(mutex_);
  ended_ = true;
  wait_for_call(lock);
  listener_.reset();
  resources_->end();
}

void SubscriptionListener::tell() {
  SubscribedResources::Ticket ticket = 0;
  {
    const MutexLock lock(mutex_);
    ticket = ticket_;
  }
  executor_.run([self = shared_from_this(), ticket] { self->deliver(ticket); });
}

void SubscriptionListener::deliver(SubscribedResources::Ticket ticket) {
  while (const auto changes = resources_->take(ticket)) {
    for (const auto& uri : changes->added) {
      if (!call(ticket, uri, true)) return;
    }
    for (const auto& uri : changes->removed) {
      if (!call(ticket, uri, false)) return;
    }
  }
}

bool SubscriptionListener::call(SubscribedResources::Ticket ticket, const std::string& uri, bool is_subscribed) {
  mcp_subscription_listener listener{};
  {
    MutexLock lock(mutex_);
    // One who has given another listener from within its own call is still there.
    wait_for_call(lock);
    if (ended_ || !listener_ || ticket != ticket_) return false;
    listener = *listener_;
    caller_ = std::this_thread::get_id();
  }
  // However it returns: end() waits for that.
  const auto has_returned = [](SubscriptionListener* self) {
    const MutexLock lock(self->mutex_);
    self->caller_.reset();
    self->returned_.notify_all();
  };
  const std::unique_ptr<SubscriptionListener, decltype(has_returned)> returns(this, has_returned);
  const auto function = is_subscribed ? listener.subscribed : listener.unsubscribed;
  if (function != nullptr) run_guarded_([&] { function(listener.context, {uri.data(), uri.size()}); });
  return true;
}

void SubscriptionListener::wait_for_call(MutexLock& lock) {
  while (caller_ && *caller_ != std::this_thread::get_id())
    returned_.wait(lock);
}

}  // namespace mcph
