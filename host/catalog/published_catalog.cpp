#include "catalog/published_catalog.hpp"

#include <map>
#include <utility>

namespace mcph {

// A catalog under a policy, with the views that somebody has asked for. A view is made once, by the first who needs it.
class PublishedCatalog::Views {
 public:
  Views(std::shared_ptr<const Catalog> all, std::shared_ptr<const Policy> policy)
      : all_(std::move(all)), policy_(std::move(policy)) {}

  const std::shared_ptr<const Catalog>& all() const { return all_; }
  const std::shared_ptr<const Policy>& policy() const { return policy_; }

  // Null: all.
  const Rights* rights_of(const Principal& principal) const {
    return policy_ == nullptr ? nullptr : policy_->rights_of(principal);
  }

  std::shared_ptr<const Catalog> of(const Principal& principal) const {
    const auto* const rights = rights_of(principal);
    if (rights == nullptr) return all_;
    {
      const MutexLock lock(mutex_);
      if (const auto found = by_rights_.find(rights); found != by_rights_.end()) return found->second;
    }
    // Without the lock, because it takes a while; of two that make it at once the first one counts. It needs the rights
    // for as long as it lives, which may be longer than the publication.
    auto view = keep(policy_, std::make_shared<const Catalog>(*all_, *rights));
    const MutexLock lock(mutex_);
    return by_rights_.try_emplace(rights, std::move(view)).first->second;
  }

 private:
  static std::shared_ptr<const Catalog> keep(std::shared_ptr<const Policy> policy,
                                             std::shared_ptr<const Catalog> catalog) {
    const auto* const view = catalog.get();
    const auto both = std::make_shared<std::pair<std::shared_ptr<const Policy>, std::shared_ptr<const Catalog>>>(
        std::move(policy), std::move(catalog));
    return {both, view};
  }

  const std::shared_ptr<const Catalog> all_;
  const std::shared_ptr<const Policy> policy_;
  mutable Mutex mutex_;
  mutable std::map<const Rights*, std::shared_ptr<const Catalog>> by_rights_ GUARDED_BY(mutex_);
};

PublishedCatalog::PublishedCatalog()
    : current_(std::make_shared<const Views>(std::make_shared<const Catalog>(), nullptr)) {}

PublishedCatalog::~PublishedCatalog() = default;

std::shared_ptr<const PublishedCatalog::Views> PublishedCatalog::views() const {
  const MutexLock lock(current_mutex_);
  return current_;
}

std::shared_ptr<const PublishedCatalog::Views> PublishedCatalog::exchange(std::shared_ptr<const Views> next) {
  const MutexLock lock(current_mutex_);
  return std::exchange(current_, std::move(next));
}

std::shared_ptr<const Catalog> PublishedCatalog::current() const {
  return views()->all();
}

std::shared_ptr<const Catalog> PublishedCatalog::current(const Principal& principal) const {
  return views()->of(principal);
}

bool PublishedCatalog::same_view(const Principal& a, const Principal& b) const {
  const auto current = views();
  return current->rights_of(a) == current->rights_of(b);
}

bool PublishedCatalog::is_governed() const {
  return views()->policy() != nullptr;
}

ListKinds PublishedCatalog::publish(const std::shared_ptr<const Catalog>& next) {
  const MutexLock lock(publishing_);
  const auto previous = views();
  const auto published = std::make_shared<const Views>(next, previous->policy());
  exchange(published);
  const auto kinds = next->differences(*previous->all());
  if (kinds.any()) tell_differences(*previous, *published);
  return kinds;
}

void PublishedCatalog::govern(std::shared_ptr<const Policy> policy) {
  const MutexLock lock(publishing_);
  const auto previous = views();
  const auto governed = std::make_shared<const Views>(previous->all(), std::move(policy));
  exchange(governed);
  tell_differences(*previous, *governed);
}

void PublishedCatalog::clear() {
  exchange(std::make_shared<const Views>(std::make_shared<const Catalog>(), nullptr));
}

void PublishedCatalog::tell_differences(const Views& previous, const Views& next) {
  using Pair = std::pair<std::shared_ptr<const Catalog>, std::shared_ptr<const Catalog>>;
  std::map<Pair, ListKinds> known;
  for (const auto& listener : alive()) {
    const auto principal = listener->principal();
    const Pair pair{previous.of(principal), next.of(principal)};
    auto found = known.find(pair);
    if (found == known.end()) found = known.emplace(pair, pair.second->differences(*pair.first)).first;
    if (found->second.any()) listener->lists_changed(found->second);
  }
}

std::vector<std::shared_ptr<ListListener>> PublishedCatalog::alive() {
  std::vector<std::shared_ptr<ListListener>> listening;
  const MutexLock lock(mutex_);
  std::erase_if(listeners_, [](const auto& listener) { return listener.expired(); });
  for (const auto& listener : listeners_) {
    if (auto living = listener.lock()) listening.push_back(std::move(living));
  }
  return listening;
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
