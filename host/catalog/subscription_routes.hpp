// To which plugin each resource belongs that clients are subscribed to, so that the plugin is told: by what is served
// now, and by who listens to ResourceUpdates. A version that is served no more is told that nobody is subscribed any
// more, after the one that took its place has been told that somebody is. Owned by the host; used by one thread.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "catalog/published_catalog.hpp"
#include "plugin/plugin.hpp"

namespace mcph {

class SubscriptionRoutes {
 public:
  // The catalog, of all that is served, outlives it.
  explicit SubscriptionRoutes(PublishedCatalog& catalog);

  // Tells the plugins what has changed since the last time.
  void attend();

 private:
  struct Route {
    std::weak_ptr<Plugin> plugin;
    std::string uri;  // as the plugin knows it
  };

  static std::optional<Route> route_of(const Catalog& catalog, const std::string& uri);

  PublishedCatalog& catalog_;
  std::uint64_t generation_ = 0;         // of the catalog that the routes are of
  std::map<std::string, Route> routes_;  // by normalized URI
};

}  // namespace mcph
