// Has an upstream tell of its changes: of its lists, and of the resources that somebody wants to hear of. In the modern
// era by one subscriptions/listen, which begins again when it ends; in the legacy era by a resources/subscribe for each
// resource. Owned by who keeps the connection, on whose thread all is called; only the end of a subscription comes on
// another.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "base/mutex.hpp"
#include "sources/upstream/upstream_client.hpp"

namespace mcph {

class UpstreamListening {
 public:
  using Clock = std::chrono::steady_clock;

  // `ended` is told on any thread that there is something due.
  explicit UpstreamListening(std::function<void()> ended) : told_of_end_(std::move(ended)) {}

  // There is a new connection, which has been asked for nothing.
  void begin_anew(Clock::time_point now);
  // Has it tell, of no other resources than these, unless it does so already. True: it has told of nothing before, so
  // that what has changed until now is to be asked for. The link's requests end before this does.
  bool listen(const UpstreamLink& link, const std::vector<std::string>& uris);
  // The subscription that ended begins again.
  void listen_again(const UpstreamLink& link, const std::vector<std::string>& uris);
  // When it is to; empty: none has ended.
  std::optional<Clock::time_point> due() const;

 private:
  void subscribe(const UpstreamLink& link, std::set<std::string> uris);
  void ended(std::uint64_t number, Clock::time_point since, const UpstreamOutcome& outcome);
  void subscription_ended(std::uint64_t number, const std::string& uri, bool may_come);

  const std::function<void()> told_of_end_;
  Json listens_for_ = Json::object();
  std::optional<UpstreamClient::RequestId> request_;
  std::set<std::string> subscribed_;  // of the legacy era

  mutable Mutex mutex_;
  Clock::time_point since_ GUARDED_BY(mutex_);   // the last one
  std::uint64_t number_ GUARDED_BY(mutex_) = 0;  // which one counts
  bool has_ended_ GUARDED_BY(mutex_) = false;    // to begin again
  bool is_unable_ GUARDED_BY(mutex_) = false;    // it does not know how to tell
  unsigned failures_in_row_ GUARDED_BY(mutex_) = 0;
  std::set<std::string> not_subscribed_ GUARDED_BY(mutex_);  // of the legacy era, for want of an answer
};

}  // namespace mcph
