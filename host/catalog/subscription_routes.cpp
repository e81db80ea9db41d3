#include "catalog/subscription_routes.hpp"

#include <set>
#include <utility>

#include "base/uri.hpp"
#include "plugin/subscribed_resources.hpp"

namespace mcph {

SubscriptionRoutes::SubscriptionRoutes(PublishedCatalog& catalog) : catalog_(catalog) {
  catalog_.resource_updates()->follow_interest();
}

void SubscriptionRoutes::attend() {
  auto& updates = *catalog_.resource_updates();
  const auto changed = updates.take_changed_interest();
  auto keys = changed.value_or(std::set<std::string>());
  const auto catalog = catalog_.current();
  // Until all is told: where there is no memory for that, all is looked at the next time.
  const bool is_same = std::exchange(generation_, std::nullopt) == catalog->generation();
  if (!is_same || !changed) {
    for (auto& key : updates.all_listened_to())
      keys.insert(std::move(key));
    for (const auto& [key, route] : routes_)
      keys.insert(key);
  }
  std::map<std::shared_ptr<Plugin>, SubscriptionChanges> gained;
  std::map<std::shared_ptr<Plugin>, std::set<std::string>> left;
  for (const auto& key : keys) {
    const auto uri = updates.listened_to(key);
    auto next = uri ? route_of(*catalog, *uri) : std::nullopt;
    const auto known = routes_.find(key);
    auto before = known == routes_.end() ? nullptr : known->second.plugin.lock();
    auto after = next ? next->plugin.lock() : nullptr;
    // It knows already.
    if (after != nullptr && after == before) continue;
    if (known != routes_.end()) {
      if (before != nullptr) left[std::move(before)].insert(known->second.uri);
      end(known);
    }
    if (after != nullptr) {
      gained[std::move(after)].added.push_back(next->uri);
      ++led_to_[next->target()];
      routes_.emplace(key, *std::move(next));
    }
  }
  for (const auto& [plugin, changes] : gained)
    plugin->subscriptions_changed(changes);
  for (const auto& [plugin, uris] : left) {
    SubscriptionChanges changes;
    for (const auto& uri : uris)
      if (!led_to_.contains({plugin.get(), uri})) changes.removed.push_back(uri);
    if (changes.any()) plugin->subscriptions_changed(changes);
  }
  generation_ = catalog->generation();
}

void SubscriptionRoutes::end(std::map<std::string, Route>::iterator route) {
  const auto target = led_to_.find(route->second.target());
  if (--target->second == 0) led_to_.erase(target);
  routes_.erase(route);
}

// After a publication for each URI that somebody listens to, of which there are at most ResourceUpdates::max_interests.
// Only what no plugin lists is compared with templates, of which a plugin has what DescriptionRoom::template_bytes
// holds; nobody who serves clients waits for that.
std::optional<SubscriptionRoutes::Route> SubscriptionRoutes::route_of(const Catalog& catalog, const std::string& uri) {
  if (const auto* resource = catalog.find_resource(uri))
    return Route{resource->plugin, resource->plugin.get(), resource->component->original_uri};
  if (const auto match = catalog.match_template(uri)) {
    const auto& plugin = match->served->plugin;
    return Route{plugin, plugin.get(), normalized_uri(uri)};  // as it is read (plan_resource_read)
  }
  return std::nullopt;
}

}  // namespace mcph
