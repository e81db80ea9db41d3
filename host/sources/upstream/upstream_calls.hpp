// The calls of one upstream: each becomes a request on the connection that there is, and what the upstream says and
// asks meanwhile is the call's. Where there is no connection, a call waits or is refused, as was said last:
//
//   said            | a call is
//   ----------------+---------------------------------------------------
//   hold, lose      | kept for the next connection; so it is at first
//   serve           | given, as many at once as the limits allow
//   refuse          | refused, with the reason
//
// A call that the upstream asks something ends, and its request goes on: the call that brings the answers takes it
// over. What is known of the requests of a connection is kept with it (Served), so that nothing of an old one is taken
// for the new one's. A request that has ended without its answer, such as a cancelled one, is kept there for a while
// (Abandoned): the upstream may be at it, and what it asks then is nobody else's. It has more functions and members
// than most classes, because a request, the call that it is for, and what is asked of the call's client change
// together; what is asked is in upstream_asking.cpp. Owned by an UpstreamPlugin; any thread. `mutex_` guards what is
// below it; nothing is told to anybody under it.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/mutex.hpp"
#include "plugin/call_table.hpp"
#include "plugin/plugin.hpp"
#include "sources/upstream/upstream_client.hpp"
#include "sources/upstream/upstream_input_requests.hpp"
#include "sources/upstream/upstream_listing.hpp"
#include "telemetry/rate_limited_log.hpp"

namespace mcph {

class UpstreamCalls final : private CallTable::Owner {
 public:
  using RequestId = UpstreamClient::RequestId;
  // A request has ended without an answer, or with an error.
  using Failed = std::function<void(const UpstreamOutcome& outcome)>;

  struct Kind {
    bool are_on_streams = false;  // each request has a stream of its own, as over Streamable HTTP
    bool of_one_client = false;   // so that it may be asked for each of them, even if nobody knows who it is
  };

  // What the surroundings refer to, and the log, outlive it.
  UpstreamCalls(const CallTable::Surroundings& surroundings, RateLimitedLog& log, Kind kind, Failed failed);

  CallTable& table() { return table_; }
  const CallTable& table() const { return table_; }

  void invoke(std::shared_ptr<Call> call);

  // By which names the upstream knows its components.
  void describe(std::shared_ptr<const UpstreamDescription> described);
  void serve(const UpstreamLink& link);
  void hold();
  // The connection has been forgotten: the calls that it was given fail because of that, and what they had asked is of
  // no use any more.
  void lose(const Error& why);
  // `why` follows "plugin NAME". Those that wait are refused, too.
  void refuse(const std::string& why);

  // Calls that cannot have run, and could now, are made again: because their session was gone, which serve does, too,
  // or because what their tools want in fields of HTTP has been listed anew.
  void make_again();

  // Whether the upstream is at nothing: neither at a call nor at one that waits for answers of its client.
  bool is_idle() const;
  // What is kept for a while alone: input requests that nobody answers, and abandoned requests.
  void expire(UpstreamInputRequests::Clock::time_point now);
  // As Plugin has it.
  void not_answered(const std::string& input_state, int code, std::string_view why);
  void when_withdrawn(const std::string& input_state, const std::function<void()>& told) {
    input_requests_.watch(input_state, told);
  }

  // What the connection tells, as UpstreamClient::Owner has it.
  void progressed(RequestId request, double progress, double total, std::string_view message);
  void said(std::optional<RequestId> request, std::string_view level, std::string_view text, std::string_view data);
  // False: no connection is served, and nobody has answered.
  bool asked(std::optional<RequestId> request, from_upstream::Request& input_request);
  // It wants no answer any more to what it has asked under this id.
  void withdrawn(const Json& input_request);
  void answered_late(RequestId request);

 private:
  enum class Door { waits, open, refuses };

  struct ToldProgress {
    double progress;
    double total;
    std::string message;
  };
  // A request that the upstream is at.
  struct Given {
    std::uint64_t call = 0;  // 0: that has ended, because its caller is asked
    PluginMethod method = PluginMethod::tools_call;
    bool is_modern = false;                                                 // the upstream
    std::vector<std::string> caller = {};                                   // as Call::principal_key has it
    std::string capabilities = {};                                          // of the caller, a JSON object
    std::vector<std::pair<std::string, from_upstream::Request>> open = {};  // asked since, by names
    std::optional<UpstreamOutcome> outcome = {};                            // that came meanwhile
    std::optional<ToldProgress> progress = {};                              // likewise, the last of it
    unsigned input_requests = 0;                                            // so far
    unsigned repetitions = 0;                                               // of the call, for its state alone
    bool has_visited = false;                                               // the call is made again because of that
    bool is_last_try = false;                                               // it is not made once more
    bool is_mirrored = false;                                               // fields of HTTP have its arguments
    bool keeps_place = false;                                               // while its caller is asked
    std::size_t kept_bytes = 0;                                             // of `open` and `outcome`
  };
  // A request that nobody waits for any more, and that the upstream may be at.
  struct Abandoned {
    std::vector<std::string> caller = {};  // as in Given
    UpstreamInputRequests::Clock::time_point until = {};
  };
  // A connection and its requests. What is not const is guarded by the mutex of the calls.
  struct Served {
    const UpstreamLink link;
    const std::uint64_t number;
    std::unordered_map<RequestId, Given> given = {};
    std::unordered_map<RequestId, Abandoned> abandoned = {};     // 0: those that there was no room for
    std::unordered_map<std::uint64_t, RequestId> requests = {};  // by the calls that wait for them
    std::size_t kept_bytes = 0;                                  // of all given
    std::size_t running = 0;                                     // calls that it has been given, and kept places
    bool is_giving = false;                                      // a thread gives it those that wait
  };
  using ServedPtr = std::shared_ptr<Served>;

  // What a call is made with, as the upstream knows it: the members of params, and what of them is looked at.
  struct Params {
    std::string members;
    std::string name;       // or the URI
    std::string arguments;  // a JSON object; empty: there are none
    std::string responses;  // "inputResponses", which are not among the members
    std::string state;      // likewise "inputState"; empty: the call brings no answers
  };

  // CallTable::Owner.
  void cancel_given(std::uint64_t id, const std::shared_ptr<Call>& call, CancelReason reason) override;
  void end_overdue(std::uint64_t id, const Call& call) override;
  bool is_debugged() override { return false; }

  ServedPtr served() const;
  void give_waiting();
  std::optional<CallTable::Admitted> next_due() REQUIRES(mutex_);
  void give(const ServedPtr& served, const CallTable::Admitted& admitted);
  void ended_on(Served& served);
  // How often, and why, it is made again.
  struct Again {
    unsigned repetitions = 0;
    bool has_visited = false;
    bool is_last_try = false;
  };
  void begin_request(const ServedPtr& served, const CallTable::Admitted& admitted, Params params, Again again);
  bool repeat(const ServedPtr& served, std::uint64_t call, const std::string& state, unsigned repetitions);
  // False: there is no room for so much.
  bool keep(Served& served, Given& given, std::size_t bytes) REQUIRES(mutex_);
  void erase(Served& served, RequestId request) REQUIRES(mutex_);
  // The upstream may be at it, and nobody waits for it. It stays among those given, too.
  void abandon(Served& served, RequestId request) REQUIRES(mutex_);
  void keep_outcome(Served& served, Given& given, UpstreamOutcome outcome) REQUIRES(mutex_);
  void resume(const ServedPtr& served, const CallTable::Admitted& admitted, Params params);
  void go_on(const ServedPtr& served, std::uint64_t call, const UpstreamInputRequests::Answered& answered);
  Params params_of(const Call& call) const;
  std::string own_name(PluginMethod method, std::string_view name) const REQUIRES(mutex_);
  std::vector<ParameterHeader> headers_of(const std::string& tool) const;
  void answered(const ServedPtr& served, RequestId request, UpstreamOutcome outcome);
  bool drop_again(std::uint64_t call);
  std::string words_for_cancelled_call(const Call& call, CancelReason reason) const;
  static bool may_be_made_again(const Given& given, const UpstreamOutcome& outcome);
  // `asks`: it is a modern result that wants answers first.
  void complete(std::uint64_t call, const Given& given, UpstreamOutcome outcome, bool asks);
  void complete_with_error(std::uint64_t call, const Given& given, const UpstreamError& error);
  bool ask_again(std::uint64_t call, const std::vector<std::string>& caller, std::string_view result);
  void ask(std::uint64_t call, const AskedInputRequests& input_requests);
  void ask_open(const ServedPtr& served, RequestId request);
  void stop_asking(const ServedPtr& served, RequestId request);
  // The request that has asked them is over, unless it has ended by itself.
  void withdraw(const AskedInputRequests& input_requests, int code, std::string_view why);
  bool goes_on(const Call& call) const;
  Result<RequestId> asking_request(const Served& served, std::optional<RequestId> known) const;

  const PluginIdentity& identity_;
  const PluginLimits& limits_;
  RateLimitedLog& log_;
  const Kind kind_;
  const Failed failed_;
  UpstreamInputRequests input_requests_;

  mutable Mutex mutex_;
  Door door_ GUARDED_BY(mutex_) = Door::waits;
  std::string why_not_ GUARDED_BY(mutex_);
  ServedPtr served_ GUARDED_BY(mutex_);
  std::uint64_t last_number_ GUARDED_BY(mutex_) = 0;
  std::vector<std::uint64_t> again_ GUARDED_BY(mutex_);  // calls that are made again when there is a reason to
  std::deque<std::uint64_t> due_ GUARDED_BY(mutex_);     // and now, where there is a place for them
  std::shared_ptr<const UpstreamDescription> described_ GUARDED_BY(mutex_);

  CallTable table_;  // its timers use the rest
};

}  // namespace mcph
