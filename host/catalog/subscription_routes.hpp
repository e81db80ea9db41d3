// To which plugin each resource belongs that clients are subscribed to, so that the plugin is told: by what is served
// now, and by who listens to ResourceUpdates. A version that is served no more is told that nobody is subscribed any
// more, after the one that took its place has been told that somebody is. Owned by the host; used by one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

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
  // A resource of a plugin. The address tells plugins apart, also those that are no more.
  using Target = std::pair<const Plugin*, std::string>;
  struct Route {
    std::weak_ptr<Plugin> plugin;
    const Plugin* address;
    std::string uri;  // as the plugin knows it

    Target target() const { return {address, uri}; }
  };

  static std::optional<Route> route_of(const Catalog& catalog, const std::string& uri);
  void end(std::map<std::string, Route>::iterator route);

  PublishedCatalog& catalog_;
  std::optional<std::uint64_t> generation_;  // of the catalog that the routes are of; nothing: they may be of none
  std::map<std::string, Route> routes_;      // by normalized URI
  std::map<Target, std::size_t> led_to_;     // by how many routes: a resource may have aliases
};

}  // namespace mcph
