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
    return number_;
  }();
  const auto ask = [&link](Method method, const std::string& uri, UpstreamClient::Answered answered) {
    return link.client->request(link.peer, method, {{"uri", uri}}, std::move(answered));
  };
  for (const auto& uri : subscribed_)
    if (!uris.contains(uri)) static_cast<void>(ask(Method::resources_unsubscribe, uri, [](const auto&) {}));
  for (const auto& uri : uris) {
    if (subscribed_.contains(uri)) continue;
    const auto begun = ask(Method::resources_subscribe, uri, [this, number, uri](const UpstreamOutcome& outcome) {
      const auto* const failure = std::get_if<UpstreamFailure>(&outcome);
      subscription_ended(number, uri, failure != nullptr && failure->error.may_pass());
    });
    if (begun.has_error()) subscription_ended(number, uri, true);
  }
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
  bool had_ended = false;
  const auto number = [&] {
    const MutexLock lock(mutex_);
    since_ = since;
    had_ended = std::exchange(has_ended_, false);
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
  return tells_of_lists && (!before || had_ended);
}

void UpstreamListening::listen_again(const UpstreamLink& link, const std::vector<std::string>& uris) {
  listens_for_ = Json::object();
  request_.reset();
  {
    const MutexLock lock(mutex_);
    has_ended_ = false;
    for (const auto& uri : std::exchange(not_subscribed_, {}))
      subscribed_.erase(uri);
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

// One that may still come is asked for again later, with all others that failed meanwhile.
void UpstreamListening::subscription_ended(std::uint64_t number, const std::string& uri, bool may_come) {
  {
    const MutexLock lock(mutex_);
    if (number != number_) return;
    if (!may_come && not_subscribed_.empty()) failures_in_row_ = 0;
    if (!may_come) return;
    not_subscribed_.insert(uri);
    if (std::exchange(has_ended_, true)) return;
    since_ = Clock::now();
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
