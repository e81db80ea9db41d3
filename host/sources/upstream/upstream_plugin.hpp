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
// A call that the upstream asks something ends, and its request goes on: the call that brings the answers takes it
// over. It has more members than most classes, because all of them are one life, under one lock. Locks: `mutex_` guards
// what is below it; nothing is told to anybody under it.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "base/mutex.hpp"
#include "plugin/call_table.hpp"
#include "plugin/isolated/last_lines.hpp"
#include "plugin/limit_reports.hpp"
#include "plugin/plugin.hpp"
#include "plugin/restart_policy.hpp"
#include "runtime/executor.hpp"
#include "runtime/timers.hpp"
#include "sources/upstream/upstream_client.hpp"
#include "sources/upstream/upstream_questions.hpp"
#include "sources/upstream/upstream_settings.hpp"
#include "telemetry/rate_limited_log.hpp"

namespace mcph {

class UpstreamPlugin final : public Plugin, private CallTable::Owner, private UpstreamClient::Owner {
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
  Result<> start() override { return {}; }
  void invoke(std::shared_ptr<Call> call) override;
  void cancel_all(CancelReason reason) override { calls_.cancel_all(reason); }
  std::size_t fail_all(std::string_view why) override { return calls_.fail_all(why); }
  std::size_t calls_in_flight() const override { return calls_.size(); }
  ErrorTexts error_texts() const override { return setup_.settings.errors; }
  PluginStatus status() const override;
  void call_failed(std::string why) override;
  void answered_wrongly(std::string why) override { calls_.answered_wrongly(std::move(why)); }
  bool stop(std::chrono::milliseconds patience) override;

  // What of the last listing could not be served, for people.
  std::vector<std::string> remarks() const;

 private:
  using Clock = std::chrono::steady_clock;
  using RequestId = UpstreamClient::RequestId;
  enum class State { connecting, serving, backoff, given_up, stopped };

  // A connection that is of use, and what has been agreed on it.
  struct Link {
    std::shared_ptr<UpstreamClient> client;
    UpstreamPeer peer;
  };
  struct ToldProgress {
    double progress;
    double total;
    std::string message;
  };
  // A request that the upstream is at.
  struct Given {
    std::uint64_t call = 0;  // 0: that has ended, because its caller is asked
    std::string caller = {};
    std::string capabilities = {};                                          // of the caller, a JSON object
    std::vector<std::pair<std::string, from_upstream::Request>> open = {};  // asked since, by names
    std::optional<UpstreamOutcome> outcome = {};                            // that came meanwhile
    std::optional<ToldProgress> progress = {};                              // likewise, the last of it
    unsigned questions = 0;                                                 // so far
  };

  // CallTable::Owner.
  void cancel_given(std::uint64_t id, const std::shared_ptr<Call>& call, CancelReason reason) override;
  void end_overdue(std::uint64_t id, const Call& call) override;
  bool is_debugged() override { return false; }

  // UpstreamClient::Owner.
  void progressed(RequestId request, double progress, double total, std::string_view message) override;
  void said(std::optional<RequestId> request, std::string_view level, std::string_view text) override;
  void asked(std::optional<RequestId> request, from_upstream::Request question) override;
  void lists_changed() override;
  void resource_updated(const std::string& uri) override;
  void misbehaved(std::string_view what) override;
  void connection_ended(const Error& why) override;

  // The keeper.
  void keep();
  Error with_last_lines(Error why);
  ConnectionEvents events_of_connection();
  Result<Link> open();
  Result<Link> open(bool probes);
  Result<> list(const Link& link);
  void listen(const Link& link);
  void serve(const Link& link);
  void serve_until_down(const Link& link);
  void attend(const Link& link, Clock::time_point now);
  void list_again(const Link& link);
  bool wait_after(const Error& why);  // false: it stops, or has given up
  void withdraw_after_grace();
  void close(const Link& link, const Error& why);
  bool is_stopping() const;
  void expire_questions(Clock::time_point now);

  // Calls.
  // What a call is made with, as the upstream knows it: the members of params, and what of them is looked at.
  struct Params {
    std::string members;
    std::string name;       // or the URI
    std::string arguments;  // a JSON object; empty: there are none
    std::string responses;  // "inputResponses", which are not among the members; empty: there are none
  };

  std::shared_ptr<const Link> link() const;
  void give(const Link& link, const CallTable::Admitted& admitted);
  void give_waiting();
  void call_ended();
  void begin(const Link& link, const CallTable::Admitted& admitted);
  void begin_request(const Link& link, const CallTable::Admitted& admitted, Params params);
  bool resume(const Link& link, const CallTable::Admitted& admitted, Params& params);
  void go_on(const Link& link, std::uint64_t call, const UpstreamQuestions::Answered& answered);
  Params params_of(const Call& call) const;
  std::string own_name(PluginMethod method, std::string_view name) const REQUIRES(mutex_);
  void answered(RequestId request, UpstreamOutcome outcome);
  void complete(std::uint64_t call, const std::string& caller, UpstreamOutcome outcome);
  void complete_with_error(std::uint64_t call, const UpstreamError& error);
  bool ask_again(std::uint64_t call, const std::string& caller, std::string_view result);
  void ask(std::uint64_t call, AskedQuestions questions);
  void ask_open(RequestId request);
  std::optional<RequestId> asking_request(std::optional<RequestId> known) const REQUIRES(mutex_);

  const Setup setup_;
  PluginIdentity identity_;  // its version is written once, before describe returns the first time
  Executor& executor_;
  RateLimitedLog log_;
  LimitReports limit_reports_;
  UpstreamQuestions questions_;

  mutable Mutex mutex_;
  Condition changed_;
  State state_ GUARDED_BY(mutex_) = State::connecting;
  std::shared_ptr<const Link> link_ GUARDED_BY(mutex_);
  std::shared_ptr<UpstreamClient> opening_ GUARDED_BY(mutex_);  // that is being agreed with
  UpstreamDescription described_ GUARDED_BY(mutex_);
  std::optional<Result<>> first_ GUARDED_BY(mutex_);  // how the first connection went
  bool withdrawn_ GUARDED_BY(mutex_) = false;
  std::optional<Error> ended_ GUARDED_BY(mutex_);
  std::string why_down_ GUARDED_BY(mutex_);
  bool lists_changed_ GUARDED_BY(mutex_) = false;
  bool listens_no_more_ GUARDED_BY(mutex_) = false;
  bool is_doubtful_ GUARDED_BY(mutex_) = false;  // a request has failed for want of a connection
  std::uint64_t restarts_ GUARDED_BY(mutex_) = 0;
  std::vector<std::string> sandbox_lacks_ GUARDED_BY(mutex_);
  LastLines last_lines_ GUARDED_BY(mutex_);
  std::unordered_map<RequestId, Given> given_ GUARDED_BY(mutex_);
  std::unordered_map<std::uint64_t, RequestId> requests_ GUARDED_BY(mutex_);  // by the calls that wait for them
  std::size_t running_ GUARDED_BY(mutex_) = 0;                                // calls that have been given

  // The keeper's.
  RestartPolicy policy_;
  bool is_legacy_ = false;  // as the last connection was
  std::optional<Clock::time_point> down_since_;
  Clock::time_point list_at_;    // not before
  Clock::time_point listen_at_;  // likewise
  Clock::time_point ping_at_;

  CallTable calls_;  // its timers use the rest
  std::thread keeper_;
};

}  // namespace mcph
