#include "catalog/subscription_routes.hpp"

#include <utility>

#include "plugin/subscribed_resources.hpp"

namespace mcph {

SubscriptionRoutes::SubscriptionRoutes(PublishedCatalog& catalog) : catalog_(catalog) {
  catalog_.resource_updates()->follow_interest();
}

void SubscriptionRoutes::attend() {
  auto& updates = *catalog_.resource_updates();
  auto keys = updates.take_changed_interest();
  const auto catalog = catalog_.current();
  if (std::exchange(generation_, catalog->generation()) != catalog->generation()) {
    for (auto& key : updates.all_listened_to())
      keys.insert(std::move(key));
    for (const auto& [key, route] : routes_)
      keys.insert(key);
  }
  std::map<std::shared_ptr<Plugin>, SubscriptionChanges> gained;
  std::map<std::shared_ptr<Plugin>, SubscriptionChanges> lost;
  for (const auto& key : keys) {
    const auto uri = updates.listened_to(key);
    auto next = uri ? route_of(*catalog, *uri) : std::nullopt;
    const auto known = routes_.find(key);
    auto before = known == routes_.end() ? nullptr : known->second.plugin.lock();
    auto after = next ? next->plugin.lock() : nullptr;
    // The URI that it has been told stays, also where the client that wrote it so has gone.
    if (after != nullptr && after == before) continue;
    if (before != nullptr) lost[std::move(before)].removed.push_back(known->second.uri);
    if (after != nullptr) {
      gained[std::move(after)].added.push_back(next->uri);
      routes_.insert_or_assign(key, *std::move(next));
    } else if (known != routes_.end()) {
      routes_.erase(known);
    }
  }
  for (const auto& [plugin, changes] : gained)
    plugin->subscriptions_changed(changes);
  for (const auto& [plugin, changes] : lost)
    plugin->subscriptions_changed(changes);
}

std::optional<SubscriptionRoutes::Route> SubscriptionRoutes::route_of(const Catalog& catalog, const std::string& uri) {
  if (const auto* resource = catalog.find_resource(uri))
    return Route{resource->plugin, resource->component->original_uri};
  if (const auto match = catalog.match_template(uri)) return Route{match->served->plugin, uri};
  return std::nullopt;
}

}  // namespace mcph
