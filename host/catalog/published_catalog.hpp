// The current catalog of a server, and who hears that its lists or contents changed: the publisher publishes it,
// requests read, streams listen. Any thread.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/mutex.hpp"
#include "base/weak_list.hpp"
#include "catalog/catalog.hpp"
#include "catalog/resource_updates.hpp"

namespace mcph {

// A stream that is told when a list changed. Called on the publishing thread: hand over and return.
class ListListener {
 public:
  virtual ~ListListener() = default;
  virtual void lists_changed(ListKinds kinds) = 0;
  // Whose view of the lists it is told of. Any thread.
  virtual Principal principal() const { return {}; }
};

class PublishedCatalog {
 public:
  PublishedCatalog();
  // One of several in a process. What clients are told of changed contents is told by all of them; `instructions` are
  // the operator's, in place of those in what is published.
  PublishedCatalog(std::shared_ptr<ResourceUpdates> resource_updates, std::string instructions);
  ~PublishedCatalog();
  PublishedCatalog(const PublishedCatalog&) = delete;
  PublishedCatalog& operator=(const PublishedCatalog&) = delete;

  // All that is served. What a request begins with keeps it: a later publication does not change it.
  std::shared_ptr<const Catalog> current() const;
  // What there is of it for this principal.
  std::shared_ptr<const Catalog> current(const Principal& principal) const;

  // Whether there is the same of it for both.
  bool same_view(const Principal& a, const Principal& b) const;
  // A policy decides who sees what.
  bool is_governed() const;

  // Swaps, then tells the listeners which lists differ, if any does. Returns what differed of all. Without memory for
  // that, which throws, all is as before, and so it is with govern.
  ListKinds publish(const std::shared_ptr<const Catalog>& next);
  // From now on the policy decides who sees what; null: everybody sees all. Tells the listeners whose lists differ.
  void govern(std::shared_ptr<const Policy> policy);

  // Gives up the current catalog, and with it its leases, without telling anybody: the end of the process.
  void clear();

  // Until the listener is gone. It hears of every publication that begins after this returned.
  void listen(std::weak_ptr<ListListener> listener);

  // Who hears of changed contents, whichever catalog is current. Never null.
  const std::shared_ptr<ResourceUpdates>& resource_updates() const { return resource_updates_; }

 private:
  class Views;

  std::shared_ptr<const Views> views() const;
  std::shared_ptr<const Views> exchange(std::shared_ptr<const Views> next);
  void exchange_and_tell(const std::shared_ptr<const Views>& previous, const std::shared_ptr<const Views>& next);
  void tell_differences(const Views& previous, const Views& next);
  std::vector<std::shared_ptr<ListListener>> alive();

  const std::shared_ptr<ResourceUpdates> resource_updates_;
  const std::optional<std::string> instructions_;  // nothing: as they are in what is published
  // Held while a pointer is copied, no longer. (std::atomic<std::shared_ptr> holds a lock just as long, and libstdc++
  // 12 forgets to order its release after a load.)
  mutable Mutex current_mutex_;
  std::shared_ptr<const Views> current_ GUARDED_BY(current_mutex_);
  Mutex publishing_;  // one publication at a time, so that listeners hear of each difference
  Mutex mutex_;
  WeakList<ListListener> listeners_ GUARDED_BY(mutex_);
};

}  // namespace mcph
