#include "catalog/published_catalog.hpp"

#include <utility>

namespace mcph {

std::shared_ptr<const Catalog> PublishedCatalog::current() const {
  const MutexLock lock(current_mutex_);
  return current_;
}

std::shared_ptr<const Catalog> PublishedCatalog::exchange(std::shared_ptr<const Catalog> next) {
  const MutexLock lock(current_mutex_);
  return std::exchange(current_, std::move(next));
}

ListKinds PublishedCatalog::publish(const std::shared_ptr<const Catalog>& next) {
  const auto previous = exchange(next);
  const auto kinds = next->differences(*previous);
  if (!kinds.any()) return kinds;

  std::vector<std::shared_ptr<ListListener>> listening;
  {
    const MutexLock lock(mutex_);
    std::erase_if(listeners_, [](const auto& listener) { return listener.expired(); });
    for (const auto& listener : listeners_) {
      if (auto alive = listener.lock()) listening.push_back(std::move(alive));
    }
  }
  for (const auto& listener : listening)
    listener->lists_changed(kinds);
  return kinds;
}

void PublishedCatalog::listen(std::weak_ptr<ListListener> listener) {
  const MutexLock lock(mutex_);
  // Kept from growing with listeners that are gone while nothing is published.
  if (listeners_.size() == listeners_.capacity()) {
    std::erase_if(listeners_, [](const auto& each) { return each.expired(); });
  }
  listeners_.push_back(std::move(listener));
}

}  // namespace mcph
