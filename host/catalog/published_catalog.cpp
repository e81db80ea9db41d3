#include "catalog/published_catalog.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <new>
#include <optional>
#include <string>
#include <tuple>
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
    if (const auto found = views.find(key); found != views.end()) return found->second;
    // Clients can wish for any number, and their scopes come in any combination. What goes is much like what comes, so
    // that who wishes for many mostly loses their own.
    if (views.size() >= (key.second.narrow() ? room_for_narrowed() : max_views)) {
      const auto next = views.lower_bound(key);
      views.erase(next == views.begin() ? next : std::prev(next));
    }
    return views.try_emplace(std::move(key), std::move(view)).first->second;
  }

 private:
  // Of each kind. What clients wish for has less room where the catalog is large, because each view has an index of
  // what is seen.
  static constexpr std::size_t max_views = 256;
  std::size_t room_for_narrowed() const {
    constexpr std::size_t max_indexed = 500'000;
    return std::clamp<std::size_t>(max_indexed / std::max<std::size_t>(all_->size(), 1), 1, max_views);
  }
  using ByKey = std::map<Key, std::shared_ptr<const Catalog>>;

  const std::shared_ptr<const Catalog> all_;
  const std::shared_ptr<const Policy> policy_;
  const std::optional<std::string>& instructions_;
  mutable Mutex mutex_;
  mutable ByKey by_rights_ GUARDED_BY(mutex_);
  mutable ByKey narrowed_ GUARDED_BY(mutex_);
};

namespace {

// Between two views of those who have the same rights.
class Difference {
 public:
  Difference(std::shared_ptr<const Catalog> before, std::shared_ptr<const Catalog> after)
      : before_(std::move(before)), after_(std::move(after)), kinds_(after_->differences(*before_)) {}

  // What of it concerns whoever wishes for less; null: for no less.
  ListKinds seen_through(const Narrowing* narrowing) {
    auto kinds = kinds_;
    if (narrowing == nullptr) return kinds;
    // Also where the lists are the same: a tool may be another plugin's now.
    if (!tools_) tools_ = after_->tool_differences(*before_);
    kinds.tools = std::ranges::any_of(*tools_, [&](const Served<Tool>* tool) {
      return narrowing->to(*tool->component, tool->plugin->identity().name).visible;
    });
    return kinds;
  }

 private:
  std::shared_ptr<const Catalog> before_;  // which have the tools
  std::shared_ptr<const Catalog> after_;
  ListKinds kinds_;
  std::optional<std::vector<const Served<Tool>*>> tools_;  // that differ, once somebody asks
};

}  // namespace

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
  const auto kinds = next->differences(*previous->all());
  // Who sees less may see more of the tools than a list of all that is cut short, and who sees one upstream hears what
  // has become that one's.
  if (kinds.any() || !next->tool_differences(*previous->all()).empty() || !next->has_same_owners(*previous->all())) {
    exchange_and_tell(previous, published);
  } else {
    exchange(published);
  }
  // Whose the resources are that clients are subscribed to may have changed.
  resource_updates_->look_again();
  return kinds;
}

void PublishedCatalog::govern(std::shared_ptr<const Policy> policy) {
  const MutexLock lock(publishing_);
  const auto previous = views();
  const auto governed = std::make_shared<const Views>(previous->all(), std::move(policy), instructions_);
  exchange_and_tell(previous, governed);
}

// In this order: who listens and reads before the exchange must be among those who are told.
void PublishedCatalog::exchange_and_tell(const std::shared_ptr<const Views>& previous,
                                         const std::shared_ptr<const Views>& next) {
  exchange(next);
  try {
    tell_differences(*previous, *next);
  } catch (const std::bad_alloc&) {
    // So that the next publication finds the differences that nobody has been told.
    exchange(previous);
    throw;
  }
}

void PublishedCatalog::clear() {
  exchange(std::make_shared<const Views>(std::make_shared<const Catalog>(), nullptr, instructions_));
}

void PublishedCatalog::tell_differences(const Views& previous, const Views& next) {
  // By the rights that decide about both views, and the upstream at whose path it is asked. Each listener may wish for
  // something else, which makes no view of its own here: it only says which of the tools that differ are of interest.
  std::map<std::tuple<std::shared_ptr<const Rights>, std::shared_ptr<const Rights>, std::string>, Difference> known;
  for (const auto& listener : alive()) {
    const auto principal = listener->principal();
    const auto upstream = upstream_for(principal);
    const auto whole = principal.narrowed(
        upstream.empty() ? nullptr
                         : std::make_shared<const Narrowing>(Narrowing::Wishes{.upstream = std::string(upstream)}));
    std::tuple rights{previous.rights_of(whole), next.rights_of(whole), std::string(upstream)};
    auto found = known.find(rights);
    if (found == known.end())
      found = known.emplace(std::move(rights), Difference(previous.of(whole), next.of(whole))).first;
    if (const auto kinds = found->second.seen_through(principal.narrowing().get()); kinds.any())
      listener->lists_changed(kinds);
  }
}

std::vector<std::shared_ptr<ListListener>> PublishedCatalog::alive() {
  const MutexLock lock(mutex_);
  return listeners_.living();
}

void PublishedCatalog::listen(std::weak_ptr<ListListener> listener) {
  const MutexLock lock(mutex_);
  listeners_.add(std::move(listener));
}

}  // namespace mcph
