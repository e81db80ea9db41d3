#include "catalog/published_catalog.hpp"

#include <map>
#include <utility>

#include "catalog/narrowing.hpp"

namespace mcph {

// A catalog under a policy, with the views that somebody has asked for. A view is made once, by the first who needs it.
class PublishedCatalog::Views {
 public:
  Views(std::shared_ptr<const Catalog> all, std::shared_ptr<const Policy> policy,
        const std::optional<std::string>& instructions)
      : all_(std::move(all)), policy_(std::move(policy)), instructions_(instructions) {}

  const std::shared_ptr<const Catalog>& all() const { return all_; }
  const std::shared_ptr<const Policy>& policy() const { return policy_; }

  // Null: all.
  std::shared_ptr<const Rights> rights_of(const Principal& principal) const {
    return policy_ == nullptr ? nullptr : policy_->rights_of(principal);
  }

  // What decides about the view of a principal.
  using Key = std::pair<std::shared_ptr<const Rights>, Narrowing::Wishes>;
  Key key_of(const Principal& principal) const {
    const auto& narrowing = principal.narrowing();
    return {rights_of(principal), narrowing == nullptr ? Narrowing::Wishes() : narrowing->wishes()};
  }

  std::shared_ptr<const Catalog> of(const Principal& principal) const {
    auto key = key_of(principal);
    if (key.first == nullptr && !key.second.narrow()) return all_;
    auto& views = key.second.narrow() ? narrowed_ : by_rights_;
    {
      const MutexLock lock(mutex_);
      if (const auto found = views.find(key); found != views.end()) return found->second;
    }
    // Without the lock, because it takes a while; of two that make it at once the first one counts.
    auto view = std::make_shared<const Catalog>(*all_, common_rights(key.first, principal.narrowing()), instructions_);
    const MutexLock lock(mutex_);
    // Clients can wish for any number, and their scopes come in any combination.
    if (views.size() == max_views) views.clear();
    return views.try_emplace(std::move(key), std::move(view)).first->second;
  }

 private:
  static constexpr std::size_t max_views = 256;
  using ByKey = std::map<Key, std::shared_ptr<const Catalog>>;

  const std::shared_ptr<const Catalog> all_;
  const std::shared_ptr<const Policy> policy_;
  const std::optional<std::string>& instructions_;
  mutable Mutex mutex_;
  mutable ByKey by_rights_ GUARDED_BY(mutex_);
  mutable ByKey narrowed_ GUARDED_BY(mutex_);
};

PublishedCatalog::PublishedCatalog()
    : resource_updates_(std::make_shared<ResourceUpdates>()),
      current_(std::make_shared<const Views>(std::make_shared<const Catalog>(), nullptr, instructions_)) {}

PublishedCatalog::PublishedCatalog(std::shared_ptr<ResourceUpdates> resource_updates, std::string instructions)
    : resource_updates_(std::move(resource_updates)),
      instructions_(std::move(instructions)),
      current_(std::make_shared<const Views>(std::make_shared<const Catalog>(), nullptr, instructions_)) {}

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
  return current->key_of(a) == current->key_of(b);
}

bool PublishedCatalog::is_governed() const {
  return views()->policy() != nullptr;
}

ListKinds PublishedCatalog::publish(const std::shared_ptr<const Catalog>& next) {
  const MutexLock lock(publishing_);
  const auto previous = views();
  const auto published = std::make_shared<const Views>(next, previous->policy(), instructions_);
  exchange(published);
  const auto kinds = next->differences(*previous->all());
  if (kinds.any()) tell_differences(*previous, *published);
  return kinds;
}

void PublishedCatalog::govern(std::shared_ptr<const Policy> policy) {
  const MutexLock lock(publishing_);
  const auto previous = views();
  const auto governed = std::make_shared<const Views>(previous->all(), std::move(policy), instructions_);
  exchange(governed);
  tell_differences(*previous, *governed);
}

void PublishedCatalog::clear() {
  exchange(std::make_shared<const Views>(std::make_shared<const Catalog>(), nullptr, instructions_));
}

void PublishedCatalog::tell_differences(const Views& previous, const Views& next) {
  // What differs by what decides about both views, and not by the views, which would be kept meanwhile.
  std::map<std::pair<Views::Key, Views::Key>, ListKinds> known;
  for (const auto& listener : alive()) {
    const auto principal = listener->principal();
    std::pair<Views::Key, Views::Key> keys{previous.key_of(principal), next.key_of(principal)};
    auto found = known.find(keys);
    if (found == known.end()) {
      const auto kinds = next.of(principal)->differences(*previous.of(principal));
      found = known.emplace(std::move(keys), kinds).first;
    }
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
