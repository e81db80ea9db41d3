// The current catalog, and who hears that its lists changed. One for the process: the reloader publishes, requests
// read, streams listen. Any thread.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "catalog/catalog.hpp"

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

  std::shared_ptr<const Catalog> current() const { return current_.load(); }

  // Swaps, then tells the listeners which lists differ, if any does. Returns what differed.
  ListKinds publish(std::shared_ptr<const Catalog> next);

  // Gives up the current catalog, and with it its leases, without telling anybody: the end of the process.
  void clear() { current_.store(std::make_shared<const Catalog>()); }

  // Until the listener is gone. It hears of every publication that begins after this returned.
  void listen(std::weak_ptr<ListListener> listener);

 private:
  std::atomic<std::shared_ptr<const Catalog>> current_;
  std::mutex mutex_;
  std::vector<std::weak_ptr<ListListener>> listeners_;
};

}  // namespace mcph
