// What the supervisor does while it serves: it lists what the upstream has, hears of its changes, and looks whether it
// is still there.
#include <algorithm>
#include <set>
#include <utility>

#include "base/random_bytes.hpp"
#include "base/utf8.hpp"
#include "plugin/names.hpp"
#include "sources/upstream/upstream_supervisor.hpp"

namespace mcph {
namespace {

using std::chrono::milliseconds;

// Between two listings of an upstream that says that it has changed; one that takes long waits for longer.
constexpr milliseconds list_interval{250};
constexpr int list_share = 4;
// After one that failed; after several in a row, up to so many times as long.
constexpr milliseconds list_again_interval{5000};
constexpr unsigned max_list_again = 6;
// Between two looks at what clients are subscribed to.
constexpr milliseconds subscriptions_interval{50};
// After one that is stale, of an upstream that does not tell of its changes.
constexpr milliseconds min_ttl{30'000};
constexpr int ttl_share = 50;
constexpr std::chrono::hours max_ttl{24 * 365};
constexpr milliseconds ping_interval{30'000};
// Between two looks whether it is another server by now.
constexpr milliseconds look_interval{2000};
// Until something else is looked at.
constexpr milliseconds idle_look{10'000};

// A quarter more at most, so that not all hosts ask an upstream at once (server/utilities/caching, "Freshness
// Calculation").
UpstreamListening::Clock::duration with_jitter(UpstreamListening::Clock::duration pause) {
  return pause + pause / 4 * static_cast<unsigned char>(random_bytes(1).front()) / 256;
}

std::string version_of(const UpstreamPeer& peer) {
  return is_version(peer.version) ? peer.version : "unknown";
}

}  // namespace

Result<> UpstreamSupervisor::list(const UpstreamLink& link) {
  // What it once had is not given up for one failure.
  std::optional<std::set<UpstreamList>> may_fail;
  auto peer = link.peer;
  {
    const MutexLock lock(mutex_);
    if (has_listed_) may_fail = described_->failed;
    for (const auto& list : untold_)
      peer.capabilities[list].erase("listChanged");
  }
  stale_at_ = Clock::time_point::max();
  const auto begin = Clock::now();
  auto lists = link.client->list(peer, setup_.settings.connect_time, may_fail);
  if (lists.has_error()) return lists.error();
  const auto end = Clock::now();
  // One that wants to be asked all the time has the more of that the less it takes.
  const auto least = std::max<Clock::duration>(min_ttl, ttl_share * (end - begin));
  if (lists->ttl && *lists->ttl < max_ttl) stale_at_ = end + with_jitter(std::max<Clock::duration>(*lists->ttl, least));
  auto description =
      std::make_shared<const UpstreamDescription>(describe_upstream(*std::move(lists), setup_.settings.names));
  calls_.describe(description);
  note_listing(!description->failed.empty(), end);
  const MutexLock lock(mutex_);
  if (!first_) identity_.version = version_of(link.peer);
  described_ = std::move(description);
  subscriptions_.list(described_->resources);
  has_listed_ = true;
  return {};
}

// While it is away nobody knows.
bool UpstreamSupervisor::tells_updates() const {
  const MutexLock lock(mutex_);
  return link_ == nullptr || link_->peer.can("resources", "subscribe");
}

std::vector<std::string> UpstreamSupervisor::watched_resources(const UpstreamPeer& peer) const {
  if (!peer.can("resources", "subscribe")) return {};
  const MutexLock lock(mutex_);
  return subscriptions_.watched();
}

void UpstreamSupervisor::serve(const UpstreamLink& link) {
  const auto& peer = link.peer;
  bool is_first = false;
  {
    const MutexLock lock(mutex_);
    if (state_ == State::stopped) return;
    is_first = !first_.has_value();
    state_ = State::serving;
    link_ = std::make_shared<const UpstreamLink>(link);
    lists_changed_ = lists_changed_ || !is_first;
    is_doubtful_ = may_be_another_ = false;
    if (!is_first) ++restarts_;
    first_ = Result<>();
    changed_.notify_all();
  }
  log_.info("upstream connected", {{"plugin", identity_.name},
                                   {"server", utf8_prefix(peer.name, max_logged_bytes)},
                                   {"version", utf8_prefix(peer.version, max_logged_bytes)},
                                   {"protocol", peer.revision},
                                   {"pid", link.client->transport().process()}});
  if (!peer.is_modern && peer.can("logging"))
    static_cast<void>(link.client->request(peer, Method::logging_set_level, {{"level", "info"}}, [](const auto&) {}));
  if (!has_ended()) calls_.serve(link);
  {
    const MutexLock lock(mutex_);
    opening_ = nullptr;
  }
  const auto now = Clock::now();
  listening_ = make_listening(link, [this] { wake_keeper(); });
  list_at_ = now;
  ping_at_ = now + ping_interval;
  has_gap_ = !is_first;
  listen(peer);
  if (!is_first) tell_of_gap(peer);
}

void UpstreamSupervisor::listen(const UpstreamPeer& peer) {
  if (listening_->listen(watched_resources(peer))) list_after_gap();
}

void UpstreamSupervisor::listen_again(const UpstreamPeer& peer) {
  if (listening_->listen_again(watched_resources(peer))) list_after_gap();
  // In the legacy era it is about single resources that it could not be asked for.
  if (peer.is_modern) tell_of_gap(peer);
}

// It may have told nobody that a resource has been updated.
void UpstreamSupervisor::tell_of_gap(const UpstreamPeer& peer) {
  if (!setup_.events.resource_updated || !peer.can("resources", "subscribe")) return;
  const auto uris = [this] {
    const MutexLock lock(mutex_);
    return subscriptions_.subscribed();
  }();
  for (const auto& uri : uris)
    setup_.events.resource_updated(uri);
}

// Of what has changed since it was listed it has told nobody. By then it should listen, so that nothing falls between
// the two.
void UpstreamSupervisor::list_after_gap() {
  has_gap_ = true;
  list_at_ = std::max(list_at_, Clock::now() + list_interval);
  const MutexLock lock(mutex_);
  lists_changed_ = true;
}

// By now it does listen. What has been listed and read before may have changed meanwhile.
void UpstreamSupervisor::see_acknowledged(const UpstreamPeer& peer) {
  const auto request = [this] {
    const MutexLock lock(mutex_);
    return std::exchange(acknowledged_, std::nullopt);
  }();
  if (!request) return;
  has_gap_ = has_gap_ || listening_->has_gap();
  if (!listening_->acknowledged(*request) || !has_gap_) return;
  list_after_gap();
  tell_of_gap(peer);
  has_gap_ = false;
}

void UpstreamSupervisor::serve_until_down(const UpstreamLink& link) {
  serve(link);
  for (;;) {
    const auto now = Clock::now();
    attend(link, now);
    MutexLock lock(mutex_);
    if (state_ == State::stopped) return;
    if (ended_) break;
    auto until = std::min({ping_at_, Clock::now() + idle_look, std::max(stale_at_, list_at_)});
    if (lists_changed_) until = std::min(until, list_at_);
    if (const auto due = listening_->due()) until = std::min(until, *due);
    if (may_be_another_) until = std::min(until, look_at_);
    if (subscriptions_changed_) until = std::min(until, listen_at_);
    if (!is_doubtful_ && !acknowledged_ && Clock::now() < until) changed_.wait_until(lock, until);
    if (ended_) break;
  }
  const auto why = [this] {
    const MutexLock lock(mutex_);
    return *ended_;
  }();
  close(link, why);
}

void UpstreamSupervisor::attend(const UpstreamLink& link, Clock::time_point now) {
  see_acknowledged(link.peer);
  bool lists = false;
  bool pings = false;
  bool looks = false;
  bool listens = false;
  {
    const MutexLock lock(mutex_);
    if (ended_ || state_ == State::stopped) return;
    listens = subscriptions_changed_ && now >= listen_at_;
    if (listens) subscriptions_changed_ = false;
    lists = (lists_changed_ || now >= stale_at_) && now >= list_at_;
    if (lists) lists_changed_ = false;
    // One that works may not come to answer.
    pings = std::exchange(is_doubtful_, false) || (now >= ping_at_ && calls_.is_idle());
    looks = may_be_another_ && now >= look_at_;
    if (looks) may_be_another_ = false;
  }
  if (pings || looks) {
    const auto alive = link.client->ping(link.peer, setup_.settings.connect_time);
    // Of one that is only looked at, it is no matter that it is busy.
    if (alive.has_error() && (pings || !alive.error().may_pass())) return lost(alive.error());
    look_at_ = Clock::now() + look_interval;
  }
  if (pings || now >= ping_at_) ping_at_ = Clock::now() + ping_interval;
  if (lists) list_again(link);
  if (listens) {
    listen(link.peer);
    listen_at_ = Clock::now() + subscriptions_interval;
  }
  if (const auto due = listening_->due(); due && now >= *due) listen_again(link.peer);
  calls_.expire(now);
}

// What failed is asked for again, less and less often.
void UpstreamSupervisor::note_listing(bool has_failed, Clock::time_point end) {
  failed_listings_ = has_failed ? std::min(failed_listings_ + 1, max_list_again) : 0;
  if (has_failed) stale_at_ = std::min(stale_at_, end + with_jitter(failed_listings_ * list_again_interval));
}

// Whatever came of it, calls that wait for it are made again: they say what is wrong then.
void UpstreamSupervisor::list_again(const UpstreamLink& link) {
  list_anew(link);
  calls_.make_again();
}

void UpstreamSupervisor::list_anew(const UpstreamLink& link) {
  const auto before = [this] {
    const MutexLock lock(mutex_);
    return described_;
  }();
  const auto begin = Clock::now();
  const auto listed = list(link);
  const auto end = Clock::now();
  list_at_ = end + std::max<Clock::duration>(list_interval, list_share * (end - begin));
  if (listed.has_error()) {
    const MutexLock lock(mutex_);
    if (ended_ || state_ == State::stopped) return;
    // One that is back is asked until it tells.
    if (down_since_ || listed.error().may_pass()) {
      lists_changed_ = true;
      failed_listings_ = std::min(failed_listings_ + 1, max_list_again);
      list_at_ = end + with_jitter(failed_listings_ * list_again_interval);
    } else {
      note_listing(true, end);
    }
    log_.warning("upstream not listed", {{"plugin", identity_.name},
                                         {"reason", listed.error().message},
                                         {"serving", "the components it had before"},
                                         {"next", "it is asked again"}});
    return;
  }
  std::vector<std::string> remarks;
  bool changes = false;
  {
    const MutexLock lock(mutex_);
    changes = std::exchange(withdrawn_, false) || described_->document != before->document;
    if (described_->remarks != before->remarks) remarks = described_->remarks;
  }
  for (const auto& remark : remarks)
    log_.warning("plugin remark", {{"file", identity_.file.string()}, {"remark", remark}});
  if (std::exchange(down_since_, std::nullopt)) log_.info("upstream is back", {{"plugin", identity_.name}});
  if (changes) calls_.table().components_changed();
  listen(link.peer);
}

void UpstreamSupervisor::lists_changed() {
  const MutexLock lock(mutex_);
  lists_changed_ = true;
  changed_.notify_all();
}

void UpstreamSupervisor::may_have_missed() {
  lists_changed();
  const auto link = [this] {
    const MutexLock lock(mutex_);
    return link_;
  }();
  if (link != nullptr) tell_of_gap(link->peer);
}

// Of the others the time for which they are fresh counts (basic/patterns/subscriptions, "Acknowledgment").
void UpstreamSupervisor::acknowledged(std::optional<RequestId> subscription, const Json& notifications) {
  const MutexLock lock(mutex_);
  if (link_ == nullptr) return;
  acknowledged_ = std::max(acknowledged_, subscription);
  changed_.notify_all();
  std::set<std::string> untold;
  for (const std::string list : {"tools", "resources", "prompts"}) {
    const auto told = notifications.is_object() ? notifications.value(list + "ListChanged", Json()) : Json();
    if (link_->peer.can(list.c_str(), "listChanged") && told != true) untold.insert(list);
  }
  if (untold == untold_) return;
  untold_ = std::move(untold);
  lists_changed_ = true;
}

void UpstreamSupervisor::subscriptions_changed(const SubscriptionChanges& changes) {
  bool are_too_many = false;
  {
    const MutexLock lock(mutex_);
    are_too_many = subscriptions_.change(changes);
    subscriptions_changed_ = true;
    changed_.notify_all();
  }
  if (are_too_many)
    log_.warning("too many subscriptions",
                 {{"plugin", identity_.name}, {"told_of", UpstreamSubscriptions::max_watched}});
}

void UpstreamSupervisor::resource_updated(const std::string& uri) {
  {
    const MutexLock lock(mutex_);
    if (!subscriptions_.concerns(uri)) return;
  }
  if (setup_.events.resource_updated) setup_.events.resource_updated(uri);
}

}  // namespace mcph
