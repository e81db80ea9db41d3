#include "sources/upstream/upstream_subscriptions.hpp"

#include <algorithm>
#include <utility>

#include "base/uri.hpp"

namespace mcph {
namespace {

constexpr std::size_t max_first_listed = 100;

}  // namespace

bool UpstreamSubscriptions::change(const SubscriptionChanges& changes) {
  const bool were_too_many = subscriptions_.size() > max_watched;
  for (const auto& uri : changes.removed)
    subscriptions_.erase(normalized_uri(uri));
  for (const auto& uri : changes.added)
    if (!names_.excludes(ComponentPattern::Kind::resource, uri))
      subscriptions_.try_emplace(normalized_uri(uri), Subscription{uri, ++last_number_});
  return !were_too_many && subscriptions_.size() > max_watched;
}

void UpstreamSubscriptions::list(std::vector<std::string> uris) {
  listed_.clear();
  for (const auto& uri : uris)
    listed_.insert(normalized_uri(uri));
  std::ranges::sort(uris);
  if (uris.size() > max_first_listed) uris.resize(max_first_listed);
  first_listed_ = std::move(uris);
}

bool UpstreamSubscriptions::concerns(const std::string& uri) const {
  const auto key = normalized_uri(uri);
  return subscriptions_.contains(key) || listed_.contains(key);
}

std::vector<std::string> UpstreamSubscriptions::subscribed() const {
  std::vector<std::string> uris;
  for (const auto& [key, subscription] : subscriptions_)
    uris.push_back(subscription.uri);
  return uris;
}

std::vector<std::string> UpstreamSubscriptions::watched() const {
  std::vector<Subscription> first;
  for (const auto& [key, subscription] : subscriptions_)
    first.push_back(subscription);
  std::ranges::sort(first, {}, &Subscription::number);
  if (first.size() > max_watched) first.resize(max_watched);
  std::set<std::string> uris;
  for (auto& subscription : first)
    uris.insert(std::move(subscription.uri));
  for (const auto& uri : first_listed_)
    if (uris.size() < max_watched) uris.insert(uri);
  return {uris.begin(), uris.end()};
}

}  // namespace mcph
