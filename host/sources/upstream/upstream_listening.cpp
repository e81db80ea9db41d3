#include "sources/upstream/upstream_listening.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <variant>

#include "base/json.hpp"
#include "base/mutex.hpp"

namespace mcph {
namespace {

using Clock = UpstreamListening::Clock;

// Until what an upstream has ended begins again; where it does so again and again, each pause is twice the one before,
// up to the second.
constexpr std::chrono::milliseconds listen_interval{1000};
constexpr std::chrono::milliseconds max_listen_interval{30'000};

struct NextAttempt {
  bool is_wanted = false;
  Clock::time_point since;
  unsigned failures_in_row = 0;

  std::optional<Clock::time_point> due() const {
    if (!is_wanted) return std::nullopt;
    auto pause = listen_interval;
    for (unsigned i = 1; i < failures_in_row && pause < max_listen_interval; ++i)
      pause *= 2;
    return since + std::min(pause, max_listen_interval);
  }
};

class ModernListening final : public UpstreamListening {
 public:
  ModernListening(UpstreamLink link, std::function<void()> ended) : link_(std::move(link)), told_(std::move(ended)) {}

  bool listen(const std::vector<std::string>& uris) override {
    {
      const MutexLock lock(mutex_);
      // The one that is due begins with the resources of then.
      if (is_unable_ || next_.is_wanted) return false;
    }
    auto wanted = notifications(uris);
    if (wanted == listens_for_) return false;
    return begin(std::move(wanted));
  }

  bool listen_again(const std::vector<std::string>& uris) override {
    request_.reset();
    // It may have ended because the upstream bears only one.
    end_before();
    begin(notifications(uris));
    return true;
  }

  std::optional<Clock::time_point> due() const override {
    const MutexLock lock(mutex_);
    return next_.due();
  }

  bool acknowledged(UpstreamClient::RequestId request) override {
    if (request_ != request) return false;
    end_before();
    return true;
  }

  bool has_gap() const override {
    const MutexLock lock(mutex_);
    return has_lost_before_;
  }

 private:
  Json notifications(const std::vector<std::string>& uris) const {
    Json wanted = Json::object();
    for (const auto* const kind : {"tools", "resources", "prompts"}) {
      if (link_.peer.can(kind, "listChanged")) wanted[std::string(kind) + "ListChanged"] = true;
    }
    if (!uris.empty()) wanted[for_resources] = uris;
    return wanted;
  }

  // True: it tells of lists, and did not before. The old subscription goes on until the new one is acknowledged, so
  // that nothing falls between the two.
  bool begin(Json wanted) {
    const auto replaced = std::exchange(request_, std::nullopt);
    bool had_ended = false;
    const auto since = Clock::now();
    const auto number = [&] {
      const MutexLock lock(mutex_);
      next_.since = since;
      had_ended = std::exchange(next_.is_wanted, false);
      if (replaced && !before_) {
        before_number_ = number_;
        has_lost_before_ = had_ended;
      }
      return ++number_;
    }();
    if (!wanted.empty()) {
      const auto end = [this, number](const UpstreamOutcome& outcome) { ended(number, outcome); };
      const auto begun =
          link_.client->request(link_.peer, Method::subscriptions_listen, {{"notifications", wanted}}, end);
      if (begun.has_error()) end(UpstreamFailure{begun.error()});
      if (begun.has_value()) request_ = *begun;
    }
    if (!before_) {
      before_ = replaced;
    } else if (replaced) {
      // It has not been acknowledged, so that the one before it still counts.
      cancel(*replaced);
    }
    if (wanted.empty()) end_before();
    listens_for_ = std::move(wanted);
    const bool tells_of_lists = listens_for_.size() > listens_for_.count(for_resources);
    return tells_of_lists && (!replaced || had_ended);
  }

  void end_before() {
    if (const auto before = std::exchange(before_, std::nullopt)) cancel(*before);
    const MutexLock lock(mutex_);
    before_number_ = 0;
    has_lost_before_ = false;
  }
  void cancel(UpstreamClient::RequestId request) {
    link_.client->cancel(link_.peer, request, "what is listened for has changed");
  }

  void ended(std::uint64_t number, const UpstreamOutcome& outcome) {
    const auto* const error = std::get_if<UpstreamError>(&outcome);
    const auto* const failure = std::get_if<UpstreamFailure>(&outcome);
    const bool is_refused = error != nullptr || (failure != nullptr && failure->status >= 400);
    {
      const MutexLock lock(mutex_);
      if (number == before_number_) has_lost_before_ = true;
      if (number != number_) return;
      // That will not pass.
      is_unable_ = error != nullptr && error->code == upstream_code::method_not_found;
      if (is_unable_) return;
      const bool was_of_use = !is_refused && Clock::now() >= next_.since + listen_interval;
      next_.failures_in_row = was_of_use ? 0 : next_.failures_in_row + 1;
      next_.is_wanted = true;
    }
    told_();
  }

  static constexpr const char* for_resources = "resourceSubscriptions";

  const UpstreamLink link_;
  const std::function<void()> told_;
  Json listens_for_ = Json::object();
  std::optional<UpstreamClient::RequestId> request_;
  std::optional<UpstreamClient::RequestId> before_;  // until that is acknowledged, or has ended and begins again

  mutable Mutex mutex_;
  NextAttempt next_ GUARDED_BY(mutex_);                 // since the last one began
  std::uint64_t number_ GUARDED_BY(mutex_) = 0;         // which one counts
  bool is_unable_ GUARDED_BY(mutex_) = false;           // it does not know how to tell
  std::uint64_t before_number_ GUARDED_BY(mutex_) = 0;  // of before_; 0: there is none
  bool has_lost_before_ GUARDED_BY(mutex_) = false;     // it has ended by itself
};

class LegacyListening final : public UpstreamListening {
 public:
  LegacyListening(UpstreamLink link, std::function<void()> ended) : link_(std::move(link)), told_(std::move(ended)) {}

  bool listen(const std::vector<std::string>& uris) override {
    const std::set<std::string> wanted(uris.begin(), uris.end());
    for (const auto& uri : subscribed_)
      if (!wanted.contains(uri)) change(uri, Method::resources_unsubscribe);
    for (const auto& uri : wanted)
      if (!subscribed_.contains(uri)) change(uri, Method::resources_subscribe);
    subscribed_ = wanted;
    return false;
  }

  bool listen_again(const std::vector<std::string>& uris) override {
    {
      const MutexLock lock(mutex_);
      next_.is_wanted = false;
      for (const auto& uri : std::exchange(failed_, {}))
        subscribed_.erase(uri);
    }
    return listen(uris);
  }

  std::optional<Clock::time_point> due() const override {
    const MutexLock lock(mutex_);
    return next_.due();
  }

  bool acknowledged(UpstreamClient::RequestId /*request*/) override { return false; }

 private:
  // Each may take a connection of its own, and calls need some, too.
  static constexpr std::size_t max_at_once = 16;

  void change(const std::string& uri, Method method) {
    {
      const MutexLock lock(mutex_);
      // Where the opposite has not been sent yet, there is nothing to say.
      const auto [waiting, is_new] = waiting_.try_emplace(uri, method);
      if (!is_new && waiting->second != method) waiting_.erase(waiting);
    }
    send_waiting();
  }

  // On the thread of an answer, too. Of one resource one thing at a time, because over HTTP the second may be there
  // first.
  void send_waiting() {
    for (;;) {
      std::string uri;
      Method method{};
      {
        const MutexLock lock(mutex_);
        auto next = waiting_.begin();
        while (next != waiting_.end() && in_flight_.contains(next->first))
          ++next;
        if (next == waiting_.end() || in_flight_.size() >= max_at_once) return;
        std::tie(uri, method) = *next;
        waiting_.erase(next);
        in_flight_.insert(uri);
      }
      const auto begun = link_.client->request(link_.peer, method, {{"uri", uri}},
                                               [this, uri, method](const UpstreamOutcome& outcome) {
                                                 const auto* const failure = std::get_if<UpstreamFailure>(&outcome);
                                                 answered(uri, method, failure != nullptr && failure->error.may_pass());
                                                 send_waiting();
                                               });
      if (begun.has_error()) answered(uri, method, true);
    }
  }

  // One that failed and may still come is asked for again later, with all others that failed meanwhile.
  void answered(const std::string& uri, Method method, bool failed) {
    {
      const MutexLock lock(mutex_);
      in_flight_.erase(uri);
      if (method == Method::resources_unsubscribe) return;
      if (!failed && failed_.empty()) next_.failures_in_row = 0;
      if (!failed) return;
      failed_.insert(uri);
      if (std::exchange(next_.is_wanted, true)) return;
      next_.since = Clock::now();
      ++next_.failures_in_row;
    }
    told_();
  }

  const UpstreamLink link_;
  const std::function<void()> told_;
  std::set<std::string> subscribed_;  // or failed, or waiting

  mutable Mutex mutex_;
  std::map<std::string, Method> waiting_ GUARDED_BY(mutex_);  // what has not been sent yet, by its resource
  std::set<std::string> in_flight_ GUARDED_BY(mutex_);        // those of what has not been answered yet
  NextAttempt next_ GUARDED_BY(mutex_);                       // since the first one failed
  std::set<std::string> failed_ GUARDED_BY(mutex_);           // for want of an answer
};

}  // namespace

std::unique_ptr<UpstreamListening> make_listening(UpstreamLink link, std::function<void()> ended) {
  if (link.peer.is_modern) return std::make_unique<ModernListening>(std::move(link), std::move(ended));
  return std::make_unique<LegacyListening>(std::move(link), std::move(ended));
}

}  // namespace mcph
