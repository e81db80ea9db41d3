// One connection to an upstream: agrees with it on how to speak, makes requests and hears their answers, and tells what
// else comes. It knows the protocol and nothing of calls and plugins. Shared; any thread, but what waits is not for
// threads that serve clients. One function a thing that can be said to a server, and one that it can say.
//
// What comes is told under the lock `telling_`, one thing at a time, but for answers, which are told beside each other,
// because a call that ends may begin the next one; sending has a lock of its own, because whoever is told something may
// send. After forget nobody is told anything.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>

#include "base/json.hpp"
#include "base/mutex.hpp"
#include "base/result.hpp"
#include "sources/upstream/upstream_listing.hpp"
#include "sources/upstream/upstream_transport.hpp"
#include "sources/upstream/upstream_wire.hpp"

namespace mcph {

// How a request ended. A result is the text of an object, of which no more than its ends have been looked at.
using UpstreamOutcome = std::variant<std::string, UpstreamError, UpstreamFailure>;

class UpstreamClient final : public UpstreamListener, public std::enable_shared_from_this<UpstreamClient> {
 public:
  using RequestId = std::uint64_t;
  using Answered = std::function<void(UpstreamOutcome outcome)>;

  // Whose connection it is.
  class Owner {
   public:
    virtual void progressed(RequestId request, double progress, double total, std::string_view message) = 0;
    // `request`: to which it belongs, where that is known. `level` is a word of MCP's. `data`: JSON, where it is more
    // than a text, which `text` then is in short.
    virtual void said(std::optional<RequestId> request, std::string_view level, std::string_view text,
                      std::string_view data) = 0;
    // Of the legacy era: it waits for an answer (answer, or refuse).
    virtual void asked(std::optional<RequestId> request, from_upstream::Request input_request) = 0;
    // Likewise: it wants no answer any more to what it asked under this id.
    virtual void withdrawn(const Json& input_request) = 0;
    // A request that nobody waits for any more has been answered all the same.
    virtual void answered_late(RequestId request) = 0;
    virtual void lists_changed() = 0;
    // What it has said unasked until now may have been heard by nobody.
    virtual void may_have_missed() = 0;
    // Of the modern era: of what of that which was listened for it will tell. `subscription`: the request that has
    // asked for it, where that is known.
    virtual void acknowledged(std::optional<RequestId> subscription, const Json& notifications) = 0;
    virtual void resource_updated(const std::string& uri) = 0;
    virtual void misbehaved(std::string_view what) = 0;
    // Perhaps more than once. Requests that have not been answered fail then.
    virtual void connection_ended(const Error& why) = 0;

   protected:
    ~Owner() = default;
  };

  // The owner outlives it, or forgets it.
  UpstreamClient(std::shared_ptr<UpstreamTransport> transport, Owner& owner)
      : transport_(std::move(transport)), owner_(&owner) {}
  UpstreamClient(const UpstreamClient&) = delete;
  UpstreamClient& operator=(const UpstreamClient&) = delete;

  // Begins the connection and agrees on how to speak. `probes`: it is asked first whether it is modern; a program that
  // ends when it is asked that has said no.
  Result<UpstreamPeer> connect(std::chrono::milliseconds patience, bool probes);
  // Everything that it lists. Of lists that may fail (nothing: each may) the others are none the worse for it, unless
  // all do.
  Result<UpstreamLists> list(const UpstreamPeer& peer, std::chrono::milliseconds patience,
                             const std::optional<std::set<UpstreamList>>& may_fail = std::nullopt);
  // Whether it answers at all, and in the words that have been agreed on: that it does not will not pass.
  Result<> ping(const UpstreamPeer& peer, std::chrono::milliseconds patience);

  // `answered` is called once, on the thread that reads, unless this fails or the connection is forgotten before.
  Result<RequestId> request(const UpstreamPeer& peer, Method method, const Json& params, Answered answered);
  Result<RequestId> request(UpstreamMessage message, RequestId id, Answered answered);
  RequestId next_id();
  // Nobody waits for it any more; it is not answered. In the moment in which it is being sent, too.
  void cancel(const UpstreamPeer& peer, RequestId request, std::string_view reason);
  void notify(const UpstreamPeer& peer, Method method, Json params);
  void answer(const UpstreamPeer& peer, const Json& input_request, const Json& result);
  void refuse(const UpstreamPeer& peer, const Json& input_request, int code, std::string_view why);

  UpstreamTransport& transport() { return *transport_; }

  void close() { transport_->close(); }
  // Nothing is told any more; what waits for an answer fails with this.
  void forget(const Error& why);

 private:
  void message_came(std::string_view text, std::optional<std::string_view> stream_of) override;
  void message_refused(Error why, std::optional<std::string_view> stream_of) override;
  void request_failed(std::string_view id, UpstreamFailure why) override;
  void may_have_missed() override;
  void ended(Error why) override;

  using ReadOutcome = std::variant<Json, UpstreamError, UpstreamFailure>;
  // Nothing: it did not come in time.
  std::optional<UpstreamOutcome> wait_for(UpstreamMessage message, RequestId id, std::chrono::milliseconds patience);
  UpstreamOutcome ask_for_text(const UpstreamPeer& peer, Method method, const Json& params,
                               std::chrono::milliseconds patience);
  // Returns when the upstream has a notification, as far as that can be known, or so long has passed. An error: it will
  // not have it.
  Result<> deliver(UpstreamMessage message, std::chrono::milliseconds patience);
  // Waits for the answer, and reads it.
  ReadOutcome ask(const UpstreamPeer& peer, Method method, const Json& params, std::chrono::milliseconds patience);
  static ReadOutcome read(UpstreamOutcome outcome);
  static Error error_of(const ReadOutcome& outcome, Method method);
  // Nothing: it is a server of the legacy era.
  Result<std::optional<UpstreamPeer>> probe(std::chrono::milliseconds patience);
  Result<UpstreamPeer> initialize(std::chrono::milliseconds patience);
  Result<> list(const UpstreamPeer& peer, UpstreamList list, UpstreamPages& pages, std::chrono::milliseconds patience);

  class Answering;
  void take(std::string_view text, std::optional<std::string_view> stream_of) EXCLUDES(telling_);
  void take(from_upstream::Answer answer) EXCLUDES(telling_);
  void take_broken(std::string_view text, const Error& why) REQUIRES(telling_);
  void take(const from_upstream::Notification& notification, std::optional<RequestId> stream_of) REQUIRES(telling_);
  void take_cancelled(const Json& request) REQUIRES(telling_);
  void take(from_upstream::Request input_request, std::optional<RequestId> stream_of) REQUIRES(telling_);
  Answered take_pending(RequestId id);
  void send_cancellation(RequestId request, UpstreamMessage cancellation);
  void fail_requests(const Error& why) EXCLUDES(telling_);
  bool has_ended();

  const std::shared_ptr<UpstreamTransport> transport_;
  std::atomic<bool> is_modern_{false};  // as has been agreed
  Mutex telling_;
  Owner* owner_ GUARDED_BY(telling_);               // null once it is forgotten
  std::size_t answering_ GUARDED_BY(telling_) = 0;  // answers that are being told
  Condition all_answered_;
  Mutex mutex_;
  RequestId last_id_ GUARDED_BY(mutex_) = 0;
  std::unordered_map<RequestId, Answered> pending_ GUARDED_BY(mutex_);
  // What is being given to the transport, with what cancels it by now.
  std::unordered_map<RequestId, std::optional<UpstreamMessage>> sending_ GUARDED_BY(mutex_);
  std::optional<Error> ended_ GUARDED_BY(mutex_);
};

// A connection that is of use, and what has been agreed on it.
struct UpstreamLink {
  std::shared_ptr<UpstreamClient> client;
  UpstreamPeer peer;
};

}  // namespace mcph
