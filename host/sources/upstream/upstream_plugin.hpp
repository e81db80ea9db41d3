// An upstream MCP server as one plugin version: what it lists is described, a call becomes its request, and what it
// says meanwhile is the call's. Nothing above Plugin knows that it is somewhere else. A thread of its own, the keeper,
// keeps it connected: agrees with it on how to speak, lists what it has, and begins anew when it ends.
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
// `mutex_` guards what is below it; nothing is told to anybody under it. Half of its functions are those of the
// two interfaces between which it stands, Plugin and UpstreamClient::Owner; the others are the keeper's steps.
#pragma once

#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/mutex.hpp"
#include "plugin/isolated/last_lines.hpp"
#include "plugin/limit_reports.hpp"
#include "plugin/plugin.hpp"
#include "plugin/restart_policy.hpp"
#include "runtime/executor.hpp"
#include "runtime/timers.hpp"
#include "sources/upstream/upstream_calls.hpp"
#include "sources/upstream/upstream_client.hpp"
#include "sources/upstream/upstream_listening.hpp"
#include "sources/upstream/upstream_settings.hpp"
#include "sources/upstream/upstream_subscriptions.hpp"
#include "telemetry/rate_limited_log.hpp"

namespace mcph {

class UpstreamPlugin final : public Plugin, private UpstreamClient::Owner {
 public:
  // What a connection tells besides its messages. Any thread, as long as the plugin lives.
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
    PluginEvents events = {};
    Connect connect;
  };

  // The executor, the timers and the log outlive it.
  UpstreamPlugin(Setup setup, Executor& executor, Timers& timers, Log& log);
  ~UpstreamPlugin() override;

  const PluginIdentity& identity() const override { return identity_; }
  // The first time it connects, and waits for that.
  Result<std::string> describe() override;
  // [any] Who waits for the first connection waits no longer; what is being connected ends with stop. Of one that has
  // been described it does nothing.
  void give_up_first_connection();
  Result<> start() override { return {}; }
  void invoke(std::shared_ptr<Call> call) override;
  void cancel_all(CancelReason reason) override { calls_.table().cancel_all(reason); }
  std::size_t fail_all(std::string_view why) override { return calls_.table().fail_all(why); }
  std::size_t calls_in_flight() const override { return calls_.table().size(); }
  void subscriptions_changed(const SubscriptionChanges& changes) override;
  ErrorTexts error_texts() const override { return setup_.settings.errors; }
  PluginStatus status() const override;
  void call_failed(std::string why) override;
  void answered_wrongly(std::string why) override { calls_.table().answered_wrongly(std::move(why)); }
  void went_wrong(std::string what) override { calls_.table().went_wrong(std::move(what)); }
  void not_answered(const std::string& input_state, int code, std::string_view why) override {
    calls_.not_answered(input_state, code, why);
  }
  void when_withdrawn(const std::string& input_state, const std::function<void()>& told) override {
    calls_.when_withdrawn(input_state, told);
  }
  bool stop(std::chrono::milliseconds patience) override;

  // What of the last listing could not be served, for people.
  std::vector<std::string> remarks() const;

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
  void lists_changed() override;
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
  void request_failed(const UpstreamOutcome& outcome);

  const Setup setup_;
  PluginIdentity identity_;  // its version is written once, before describe returns the first time
  RateLimitedLog log_;
  LimitReports limit_reports_;

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
  std::unique_ptr<UpstreamListening> listening_;  // while it serves

  UpstreamCalls calls_;  // its timers use the rest
  std::thread keeper_;
};

}  // namespace mcph
