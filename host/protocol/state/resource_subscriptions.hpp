// Which resources a client wants to hear of: of a legacy session by resources/subscribe (2025-11-25, server/resources),
// of a subscriptions/listen request by its filter (2026-07-28, basic/patterns/subscriptions).
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.hpp"
#include "base/uri.hpp"
#include "catalog/catalog.hpp"
#include "catalog/resource_updates.hpp"
#include "protocol/calls/component_calls.hpp"
#include "protocol/message.hpp"

namespace mcph {

// The subscriptions of one session or one listen request. Guarded by its owner.
class ResourceSubscriptions {
 public:
  static constexpr std::size_t max_count = 1000;
  static constexpr std::size_t max_uri = 4096;  // in bytes
  // Of one filter: the bytes of its URIs that no plugin lists, times those of the templates that they are matched with.
  // Beyond it none is matched any more.
  static constexpr std::size_t max_matched = std::size_t{1} << 30;

  // Fails at a bound. Subscribing twice is subscribing once, however the URI is percent-encoded.
  Result<> add(const std::string& uri, ResourceUpdates& updates, std::weak_ptr<ResourceListener> listener);
  void remove(std::string_view uri) { places_.erase(normalized_uri(uri)); }
  void clear() { places_.clear(); }
  bool contains(std::string_view uri) const { return places_.contains(normalized_uri(uri)); }

 private:
  std::map<std::string, ResourceUpdates::Place> places_;  // by normalized URI
};

// params.uri of resources/subscribe, if somebody serves it now.
Result<std::string, Rejection> read_subscribed_uri(const Catalog& catalog, JsonValue params);

// params.uri of resources/unsubscribe, which may have gone meanwhile.
Result<std::string, Rejection> read_unsubscribed_uri(JsonValue params);

// Those of notifications.resourceSubscriptions that somebody serves now; the others are not acknowledged.
Result<std::vector<std::string>, RpcError> read_resource_filter(const Catalog& catalog, const Json& notifications);

// The params of notifications/resources/updated, in which what a URI cannot have is percent-encoded; `meta` is its
// _meta member with a comma after it, or empty.
std::string updated_params(std::string_view uri, std::string_view meta = {});

}  // namespace mcph
