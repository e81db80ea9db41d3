// Keeps an upstream connected. A thread of its own, the keeper, agrees with it on how to speak, lists what it has,
// hears of its changes, and begins anew when the connection ends. Owned by the UpstreamPlugin, which stops it before
// its own end; any thread.
//
//   state      | entered when                                  | calls are          | left for
//   -----------+-----------------------------------------------+--------------------+--------------------------------
//   connecting | it is made, or the connection ended and the   | kept               | serving; backoff; given_up
//              | next one begins at once                       |                    |
//   serving    | it has said how it speaks                     | given              | connecting, when it ends
//   backoff    | the next connection has to wait               | refused, "soon"    | connecting, when its time comes
//   given_up   | it ended too often                            | refused            |
//   stopped    | stop, or the end of this object               | refused            |
//
// Its components stay as they are while it is away for less than its grace; then it describes none, until it is back.
// `mutex_` guards what is below it; nothing is told to anybody under it. It has as many functions and members as it has
// because all of them are steps of one life, under one lock; those of a connection that is served are in
// upstream_supervisor_serving.cpp.
#pragma once

#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/mutex.hpp"
#include "plugin/isolated/last_lines.hpp"
#include "plugin/limit_reports.hpp"
#include "plugin/plugin.hpp"
#include "plugin/restart_policy.hpp"
#include "sources/upstream/upstream_calls.hpp"
#include "sources/upstream/upstream_client.hpp"
#include "sources/upstream/upstream_listening.hpp"
#include "sources/upstream/upstream_settings.hpp"
#include "sources/upstream/upstream_subscriptions.hpp"
#include "telemetry/rate_limited_log.hpp"

namespace mcph {

class UpstreamSupervisor final : private UpstreamClient::Owner {
 public:
  // What a connection tells besides its messages. Any thread, as long as the supervisor lives.
  struct ConnectionEvents {
    std::function<void(std::string_view line)> printed;
    std::function<void(std::vector<std::string> lacks)> sandbox_lacks;
    std::function<void()> throttled;
  };
  // Makes a transport that has not begun, with secrets as they are then.
  using Connect = std::function<Result<std::shared_ptr<UpstreamTransport>>(ConnectionEvents events)>;

  struct Setup {
    PluginIdentity identity;  // whose version the upstream says
    UpstreamSettings settings;
    bool has_one_client = false;  // all calls are its
    PluginEvents events = {};
    Connect connect;
  };

  // What it is given outlives it. The identity's version is written once, before describe returns the first time.
  UpstreamSupervisor(const Setup& setup, PluginIdentity& identity, UpstreamCalls& calls, RateLimitedLog& log,
                     LimitReports& limit_reports);

  // As Plugin has them.
  Result<std::string> describe();
  PluginStatus status() const;
  void subscriptions_changed(const SubscriptionChanges& changes);
  bool tells_updates() const;
  void stop(std::chrono::milliseconds patience);

  // As UpstreamPlugin has them.
  void give_up_first_connection();
  std::vector<std::string> remarks() const;

  // It waits for the next connection, or there is none any more.
  bool is_away() const;
  // As UpstreamCalls tells it.
  void request_failed(const UpstreamOutcome& outcome);

 private:
  using Clock = std::chrono::steady_clock;
  using RequestId = UpstreamClient::RequestId;
  enum class State { connecting, serving, backoff, given_up, stopped };

  // UpstreamClient::Owner.
  void progressed(RequestId request, double progress, double total, std::string_view message) override {
    calls_.progressed(request, progress, total, message);
  }
  void said(std::optional<RequestId> request, std::string_view level, std::string_view text,
            std::string_view data) override {
    calls_.said(request, level, text, data);
  }
  void asked(std::optional<RequestId> request, from_upstream::Request input_request) override;
  void withdrawn(const Json& input_request) override { calls_.withdrawn(input_request); }
  void answered_late(RequestId request) override { calls_.answered_late(request); }
  void lists_changed() override;
  void may_have_missed() override;
  void acknowledged(std::optional<RequestId> subscription, const Json& notifications) override;
  void resource_updated(const std::string& uri) override;
  void misbehaved(std::string_view what) override;
  void connection_ended(const Error& why) override { lost(why); }

  // The keeper.
  void keep();
  bool keep_connected();                              // once; false: it stops, or has given up
  bool begin_anew(const std::exception_ptr& failed);  // likewise
  bool fail_first(Error why);                         // false: it was not the first connection
  void wake_keeper();
  std::string last_words() REQUIRES(mutex_);
  ConnectionEvents events_of_connection();
  Result<UpstreamLink> open();
  Result<UpstreamLink> open(bool probes);
  Result<> list(const UpstreamLink& link);
  std::vector<std::string> watched_resources(const UpstreamPeer& peer) const;
  void listen(const UpstreamPeer& peer);
  void listen_again(const UpstreamPeer& peer);
  void list_after_gap();
  void tell_of_gap(const UpstreamPeer& peer);
  void see_acknowledged(const UpstreamPeer& peer);
  void serve(const UpstreamLink& link);
  void serve_until_down(const UpstreamLink& link);
  void attend(const UpstreamLink& link, Clock::time_point now);
  void list_again(const UpstreamLink& link);
  void list_anew(const UpstreamLink& link);
  void note_listing(bool has_failed, Clock::time_point end);
  bool wait_after(const Error& why);  // false: it stops, or has given up
  void withdraw_after_grace();
  void close(const UpstreamLink& link, const Error& why);
  bool is_stopping() const;
  bool has_ended() const;

  void lost(const Error& why);

  const Setup& setup_;
  PluginIdentity& identity_;
  UpstreamCalls& calls_;
  RateLimitedLog& log_;
  LimitReports& limit_reports_;

  mutable Mutex mutex_;
  Condition changed_;
  State state_ GUARDED_BY(mutex_) = State::connecting;
  std::shared_ptr<const UpstreamLink> link_ GUARDED_BY(mutex_);
  std::shared_ptr<UpstreamClient> opening_ GUARDED_BY(mutex_);  // that is being agreed with
  std::shared_ptr<const UpstreamDescription> described_ GUARDED_BY(mutex_);
  bool has_listed_ GUARDED_BY(mutex_) = false;        // something is known of what it has
  std::optional<Result<>> first_ GUARDED_BY(mutex_);  // how the first connection went
  bool withdrawn_ GUARDED_BY(mutex_) = false;
  std::optional<Error> ended_ GUARDED_BY(mutex_);
  bool lists_changed_ GUARDED_BY(mutex_) = false;
  std::set<std::string> untold_ GUARDED_BY(mutex_);           // the lists of whose changes it should tell, and does not
  std::optional<RequestId> acknowledged_ GUARDED_BY(mutex_);  // the last subscription, until it is looked at
  UpstreamSubscriptions subscriptions_ GUARDED_BY(mutex_);
  bool subscriptions_changed_ GUARDED_BY(mutex_) = false;
  bool is_doubtful_ GUARDED_BY(mutex_) = false;     // a request has failed for want of a connection
  bool may_be_another_ GUARDED_BY(mutex_) = false;  // a server of the other era seems to be there
  std::uint64_t restarts_ GUARDED_BY(mutex_) = 0;
  std::vector<std::string> sandbox_lacks_ GUARDED_BY(mutex_);
  LastLines last_lines_ GUARDED_BY(mutex_);

  // The keeper's.
  RestartPolicy policy_;
  bool is_legacy_;  // as it is said to be, or the last connection was
  std::optional<Clock::time_point> down_since_;
  Clock::time_point list_at_;                              // not before
  Clock::time_point listen_at_;                            // likewise, for what else clients are subscribed to
  Clock::time_point stale_at_ = Clock::time_point::max();  // what has been listed, or could not be
  Clock::time_point look_at_;                              // likewise, whether it is another server
  Clock::time_point ping_at_;
  unsigned failed_listings_ = 0;                  // in a row, of all lists or of some
  bool has_gap_ = false;                          // in what it tells, until it acknowledges what is listened for
  std::unique_ptr<UpstreamListening> listening_;  // while it serves

  std::thread keeper_;
};

}  // namespace mcph
