// The current catalog, and who hears that its lists or contents changed. One for the process: the publisher publishes
// it, requests read, streams listen. Any thread.
#pragma once

#include <memory>
#include <vector>

#include "base/mutex.hpp"
#include "catalog/catalog.hpp"
#include "catalog/resource_updates.hpp"

namespace mcph {

// A stream that is told when a list changed. Called on the publishing thread: hand over and return.
class ListListener {
 public:
  virtual ~ListListener() = default;
  virtual void lists_changed(ListKinds kinds) = 0;
};

class PublishedCatalog {
 public:
  PublishedCatalog() : current_(std::make_shared<const Catalog>()) {}

  // What a request begins with keeps it: a later publication does not change it.
  std::shared_ptr<const Catalog> current() const;

  // Swaps, then tells the listeners which lists differ, if any does. Returns what differed.
  ListKinds publish(const std::shared_ptr<const Catalog>& next);

  // Gives up the current catalog, and with it its leases, without telling anybody: the end of the process.
  void clear() { exchange(std::make_shared<const Catalog>()); }

  // Until the listener is gone. It hears of every publication that begins after this returned.
  void listen(std::weak_ptr<ListListener> listener);

  // Who hears of changed contents, whichever catalog is current. Never null.
  const std::shared_ptr<ResourceUpdates>& resource_updates() const { return resource_updates_; }

 private:
  std::shared_ptr<const Catalog> exchange(std::shared_ptr<const Catalog> next);

  // Held while a pointer is copied, no longer. (std::atomic<std::shared_ptr> holds a lock just as long, and libstdc++
  // 12 forgets to order its release after a load.)
  mutable Mutex current_mutex_;
  std::shared_ptr<const Catalog> current_ GUARDED_BY(current_mutex_);
  const std::shared_ptr<ResourceUpdates> resource_updates_ = std::make_shared<ResourceUpdates>();
  Mutex mutex_;
  std::vector<std::weak_ptr<ListListener>> listeners_ GUARDED_BY(mutex_);
};

}  // namespace mcph
