// Which resources of one plugin version clients are subscribed to, and what of that somebody who wants to follow it has
// not been told yet: a change that is undone before it is told is none, so there is never more to tell than there are
// resources. The URIs are as the plugin knows them. Held by the plugin and who follows it; any thread.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/mutex.hpp"
#include "base/result.hpp"

namespace mcph {

struct SubscriptionChanges {
  std::vector<std::string> added = {};
  std::vector<std::string> removed = {};

  bool any() const { return !added.empty() || !removed.empty(); }

  // As they go to a worker.
  std::string json() const;
  static Result<SubscriptionChanges> read(std::string_view json);

  friend bool operator==(const SubscriptionChanges&, const SubscriptionChanges&) = default;
};

class SubscribedResources {
 public:
  // Of whoever follows. One that began later makes the former one's worthless.
  using Ticket = std::uint64_t;

  // Calls who follows, if he is to take what there is and does not know yet.
  void change(const SubscriptionChanges& changes);
  std::vector<std::string> all() const;

  // Somebody follows from now on, has been told nothing so far, and takes what there is without being called.
  Ticket follow(std::function<void()> call);
  // Nobody does.
  void end();
  // What he has not been told. Nothing: there is none, or he is not the one who follows; `change` calls him again.
  std::optional<SubscriptionChanges> take(Ticket ticket);

 private:
  void note(const std::string& uri, bool is_subscribed) REQUIRES(mutex_);

  mutable Mutex mutex_;
  std::set<std::string> all_ GUARDED_BY(mutex_);
  std::map<std::string, bool> untold_ GUARDED_BY(mutex_);  // whether somebody is subscribed now
  Ticket ticket_ GUARDED_BY(mutex_) = 0;
  std::function<void()> call_ GUARDED_BY(mutex_);  // empty: nobody follows
  bool takes_ GUARDED_BY(mutex_) = false;          // until a take brings nothing
};

}  // namespace mcph
