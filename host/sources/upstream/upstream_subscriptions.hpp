// Which resources of an upstream somebody wants to hear of: those that clients are subscribed to, and the first of
// those that it lists, so that of these nothing is missed between a client's subscription and the host's. Two URIs are
// the same that are so in one form (base/uri.hpp). Owned by the upstream's plugin; one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "plugin/subscribed_resources.hpp"
#include "sources/upstream/upstream_names.hpp"

namespace mcph {

class UpstreamSubscriptions {
 public:
  static constexpr std::size_t max_watched = 1000;

  // The names outlive it: of what they exclude nobody hears.
  explicit UpstreamSubscriptions(const UpstreamNames& names) : names_(names) {}

  // By clients. True: by now there are more than can be watched, and before there were not.
  bool change(const SubscriptionChanges& changes);
  // The resources that the upstream has now.
  void list(std::vector<std::string> uris);

  // Whether somebody is to be told that it has been updated.
  bool concerns(const std::string& uri) const;
  // By clients, as they were told to `change`.
  std::vector<std::string> subscribed() const;
  // What the upstream is to tell of: at most `max_watched`, no matter in which order it lists what it has.
  std::vector<std::string> watched() const;

 private:
  struct Subscription {
    std::string uri;
    std::uint64_t number;  // who comes later takes nothing from those before
  };

  const UpstreamNames& names_;
  std::map<std::string, Subscription> subscriptions_;  // by the URI in one form
  std::uint64_t last_number_ = 0;
  std::set<std::string> listed_;           // each in one form
  std::vector<std::string> first_listed_;  // in order
};

}  // namespace mcph
