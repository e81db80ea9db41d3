#include "sources/upstream/upstream_listening.hpp"

#include <algorithm>
#include <string_view>
#include <utility>
#include <variant>

namespace mcph {
namespace {

// Between two subscriptions of an upstream that ends them; of one that refuses them it doubles, up to the second.
constexpr std::chrono::milliseconds listen_interval{1000};
constexpr std::chrono::milliseconds max_listen_interval{30'000};

}  // namespace

void UpstreamListening::begin_anew(Clock::time_point now) {
  listens_for_ = Json::object();
  request_.reset();
  subscribed_.clear();
  const MutexLock lock(mutex_);
  since_ = now;
  ++number_;
  has_ended_ = is_unable_ = false;
  failures_in_row_ = 0;
  not_subscribed_.clear();
}

// It tells of these from now on, and of no others.
void UpstreamListening::subscribe(const UpstreamLink& link, std::set<std::string> uris) {
  const auto number = [&] {
    const MutexLock lock(mutex_);
    for (const auto& uri : std::exchange(not_subscribed_, {}))
      subscribed_.erase(uri);
    since_ = Clock::now();
    return number_;
  }();
  const auto ask = [&](Method method, const std::string& uri) {
    const auto answered = [this, number, uri](const UpstreamOutcome& outcome) {
      if (std::holds_alternative<UpstreamFailure>(outcome)) not_subscribed(number, uri);
    };
    const auto begun = link.client->request(link.peer, method, {{"uri", uri}}, answered);
    if (begun.has_error()) not_subscribed(number, uri);
  };
  for (const auto& uri : subscribed_)
    if (!uris.contains(uri)) ask(Method::resources_unsubscribe, uri);
  for (const auto& uri : uris)
    if (!subscribed_.contains(uri)) ask(Method::resources_subscribe, uri);
  subscribed_ = std::move(uris);
}

bool UpstreamListening::listen(const UpstreamLink& link, const std::vector<std::string>& uris) {
  const auto& peer = link.peer;
  {
    const MutexLock lock(mutex_);
    if (is_unable_) return false;
  }
  if (!peer.is_modern) {
    subscribe(link, {uris.begin(), uris.end()});
    return false;  // of its lists it tells unasked
  }
  Json wanted = Json::object();
  for (const auto* const kind : {"tools", "resources", "prompts"}) {
    if (peer.can(kind, "listChanged")) wanted[std::string(kind) + "ListChanged"] = true;
  }
  if (!uris.empty()) wanted["resourceSubscriptions"] = uris;
  if (wanted == listens_for_) return false;
  listens_for_ = wanted;
  const auto since = Clock::now();
  const auto number = [&] {
    const MutexLock lock(mutex_);
    since_ = since;
    has_ended_ = false;
    return ++number_;
  }();
  const auto before = std::exchange(request_, std::nullopt);
  if (!wanted.empty()) {
    const auto end = [this, number, since](const UpstreamOutcome& outcome) { ended(number, since, outcome); };
    const auto begun = link.client->request(peer, Method::subscriptions_listen, {{"notifications", wanted}}, end);
    if (begun.has_error()) end(UpstreamFailure{begun.error()});
    if (begun.has_value()) request_ = *begun;
  }
  if (before) link.client->cancel(peer, *before, "what is listened for has changed");
  const bool tells_of_lists = wanted.size() > wanted.count("resourceSubscriptions");
  return tells_of_lists && !before;
}

void UpstreamListening::listen_again(const UpstreamLink& link, const std::vector<std::string>& uris) {
  listens_for_ = Json::object();
  request_.reset();
  {
    const MutexLock lock(mutex_);
    has_ended_ = false;
  }
  listen(link, uris);
}

void UpstreamListening::ended(std::uint64_t number, Clock::time_point since, const UpstreamOutcome& outcome) {
  const auto* const error = std::get_if<UpstreamError>(&outcome);
  const auto* const failure = std::get_if<UpstreamFailure>(&outcome);
  const bool is_refused = error != nullptr || (failure != nullptr && failure->status >= 400);
  {
    const MutexLock lock(mutex_);
    if (number != number_) return;
    // That will not pass.
    is_unable_ = error != nullptr && error->code == upstream_code::method_not_found;
    if (is_unable_) return;
    const bool was_of_use = !is_refused && Clock::now() >= since + listen_interval;
    failures_in_row_ = was_of_use ? 0 : failures_in_row_ + 1;
    has_ended_ = true;
  }
  told_of_end_();
}

// It is asked again later, as all that has failed meanwhile. What it refuses in words it would refuse again.
void UpstreamListening::not_subscribed(std::uint64_t number, const std::string& uri) {
  {
    const MutexLock lock(mutex_);
    if (number != number_) return;
    not_subscribed_.insert(uri);
    if (std::exchange(has_ended_, true)) return;
    ++failures_in_row_;
  }
  told_of_end_();
}

std::optional<UpstreamListening::Clock::time_point> UpstreamListening::due() const {
  const MutexLock lock(mutex_);
  if (!has_ended_) return std::nullopt;
  auto pause = listen_interval;
  for (unsigned i = 1; i < failures_in_row_ && pause < max_listen_interval; ++i)
    pause *= 2;
  return since_ + std::min(pause, max_listen_interval);
}

}  // namespace mcph
