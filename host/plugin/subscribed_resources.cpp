#include "plugin/subscribed_resources.hpp"

#include <exception>
#include <utility>

#include "base/json.hpp"
#include "base/json_text.hpp"

namespace mcph {

std::string SubscriptionChanges::json() const {
  return dump(Json{{"added", added}, {"removed", removed}});
}

Result<SubscriptionChanges> SubscriptionChanges::read(std::string_view json) {
  const auto object = parse_json(json);
  if (object.has_error()) return object.error();
  try {
    return SubscriptionChanges{.added = object->at("added"), .removed = object->at("removed")};
  } catch (const std::exception& error) {
    return fail(error.what());
  }
}

void SubscribedResources::change(const SubscriptionChanges& changes) {
  MutexLock lock(mutex_);
  for (const auto& uri : changes.removed) {
    if (all_.erase(uri) > 0) note(uri, false);
  }
  for (const auto& uri : changes.added) {
    if (all_.insert(uri).second) note(uri, true);
  }
  if (untold_.empty() || std::exchange(takes_, true)) return;
  const auto call = call_;
  lock.unlock();
  call();
}

void SubscribedResources::note(const std::string& uri, bool is_subscribed) {
  if (call_ == nullptr) return;
  if (const auto opposite = untold_.find(uri); opposite != untold_.end()) {
    untold_.erase(opposite);
  } else {
    untold_.emplace(uri, is_subscribed);
  }
}

std::vector<std::string> SubscribedResources::all() const {
  const MutexLock lock(mutex_);
  return {all_.begin(), all_.end()};
}

SubscribedResources::Ticket SubscribedResources::follow(std::function<void()> call) {
  const MutexLock lock(mutex_);
  untold_.clear();
  for (const auto& uri : all_)
    untold_.emplace(uri, true);
  call_ = std::move(call);
  takes_ = true;
  return ++ticket_;
}

void SubscribedResources::end() {
  const MutexLock lock(mutex_);
  call_ = nullptr;
  untold_.clear();
  ++ticket_;
}

std::optional<SubscriptionChanges> SubscribedResources::take(Ticket ticket) {
  const MutexLock lock(mutex_);
  if (ticket != ticket_) return std::nullopt;
  if (untold_.empty()) {
    takes_ = false;
    return std::nullopt;
  }
  SubscriptionChanges changes;
  for (const auto& [uri, is_subscribed] : std::exchange(untold_, {}))
    (is_subscribed ? changes.added : changes.removed).push_back(uri);
  return changes;
}

}  // namespace mcph
