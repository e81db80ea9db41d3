// A legacy client from initialize until its session ends: what it settled, its requests in flight, and the streams
// on which it hears of changes. Sessions holds those of HTTP by id; a stdio process has at most one, without an id.
// Any thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/mutex.hpp"
#include "catalog/published_catalog.hpp"
#include "protocol/call_observer.hpp"
#include "protocol/caller.hpp"
#include "protocol/log_level.hpp"
#include "protocol/notification_stream.hpp"
#include "protocol/requests_in_flight.hpp"
#include "protocol/state/pending_input_requests.hpp"
#include "protocol/state/resource_subscriptions.hpp"

namespace mcph {

class Session final : public ListListener, public ResourceListener, public std::enable_shared_from_this<Session> {
 public:
  Session(std::string id, Caller caller)
      : id_(std::move(id)), caller_(std::make_shared<const Caller>(std::move(caller))) {}

  const std::string& id() const { return id_; }
  // As initialize settled it, with what is known of its principal by the last request. Never null.
  std::shared_ptr<const Caller> caller() const;
  // For a request that this principal, whose the session is, has sent.
  std::shared_ptr<const Caller> caller_as(const Principal& principal);
  RequestsInFlight& requests() { return *requests_; }

  // What plugins ask the client. Never null.
  const std::shared_ptr<PendingInputRequests>& input_requests() const { return input_requests_; }

  // What plugins log during its calls is sent from this severity on; nothing before the client has asked for it.
  const std::shared_ptr<LogThreshold>& log_threshold() const { return log_threshold_; }

  // The client said notifications/initialized; only from now on is it told of changes.
  void initialized();

  // A change is told on one stream only (MCP 2025-11-25, basic/transports, "Multiple Connections"); while there is
  // none, it is kept until there is.
  void lists_changed(ListKinds kinds) override;
  Principal principal() const override { return caller()->principal; }
  void resource_updated(const std::string& uri) override;

  // To be told of changes of a resource, on a stream whose principal may read it then; fails at a bound. To be called
  // on an object that a shared pointer holds. The catalog outlives it.
  Result<> subscribe(const std::string& uri, PublishedCatalog& catalog);
  void unsubscribe(const std::string& uri);

  // Held weakly. Closed at once if the session has ended. The principal, by whose credential it has been opened, is the
  // session's.
  void attach(const std::shared_ptr<NotificationStream>& stream, const Principal& principal = anonymous);
  // Closes the streams and abandons the requests of those whose credentials are good no longer; the session goes on.
  void close_streams_of(const IsGood& is_good);
  // A stream is open, or a request has no reply yet.
  bool in_use() const;
  // Streams that are still to be attached are closed.
  void take_no_more_streams();
  // The end of the session: closes the streams, and those that are still to be attached, and ends what plugins ask.
  void close_streams();

 private:
  struct Stream {
    std::weak_ptr<NotificationStream> output;
    Principal principal;
  };
  struct LiveStream {
    std::shared_ptr<NotificationStream> output;
    Principal principal;
  };

  void tell_pending() REQUIRES(mutex_);
  // On the first stream that has room and whose principal may hear it. Those without room are left out from then on, so
  // that each is tried once.
  template <class Message, class May>
  static bool send(std::vector<LiveStream>& streams, const Message& message, const May& may_hear);

  const std::string id_;
  const std::shared_ptr<RequestsInFlight> requests_ = std::make_shared<RequestsInFlight>();
  const std::shared_ptr<PendingInputRequests> input_requests_ = std::make_shared<PendingInputRequests>();
  const std::shared_ptr<LogThreshold> log_threshold_ = std::make_shared<LogThreshold>(LogLevel::nothing);

  mutable Mutex mutex_;
  std::shared_ptr<const Caller> caller_ GUARDED_BY(mutex_);
  bool initialized_ GUARDED_BY(mutex_) = false;
  bool closed_ GUARDED_BY(mutex_) = false;
  ListKinds pending_ GUARDED_BY(mutex_);
  ResourceSubscriptions subscriptions_ GUARDED_BY(mutex_);
  const PublishedCatalog* catalog_ GUARDED_BY(mutex_) = nullptr;  // that they are of
  std::set<std::string> pending_updates_ GUARDED_BY(mutex_);      // of resources in subscriptions_
  std::vector<Stream> streams_ GUARDED_BY(mutex_);
};

class Sessions {
 public:
  // Not the time of day, which somebody may set while sessions are open.
  using Time = std::chrono::steady_clock::time_point;
  using Clock = std::function<Time()>;

  struct Limits {
    std::size_t count = 10'000;
    std::chrono::seconds idle_time{std::chrono::hours(24)};
  };

  // Whoever observes how long they last outlives it; null: nobody does.
  Sessions(Limits limits, PublishedCatalog& catalog, Clock clock = std::chrono::steady_clock::now,
           CallObserver* observer = nullptr);

  // Hears of each session that ends before the process does. Before any is opened; it must not ask for sessions.
  void when_ended(std::function<void(const Session& session)> listener) { ended_ = std::move(listener); }

  // Null if there are as many as allowed and each is in use. Where there are as many as allowed, one that is not in use
  // makes room: the one that has been idle longest of the principal who has most, so that nobody drives out the
  // sessions of others; if all of these are in use, the one that has been idle longest of all.
  std::shared_ptr<Session> open(Caller caller);

  // Null if it is unknown, has expired, or is another principal's. Counts as use.
  std::shared_ptr<Session> find(std::string_view id, const Principal& principal);

  // False if there was none.
  bool close(std::string_view id);

  // Of every session.
  void close_streams_of(const IsGood& is_good);

  // For how long a session may be idle before it ends.
  std::chrono::seconds idle_time() const { return limits_.idle_time; }

  void close_all();

  std::size_t count();

 private:
  struct Entry {
    std::shared_ptr<Session> session;
    // What is known without asking the session, which may be busy.
    std::string protocol_version;
    Principal opener;   // whose it is
    std::string owner;  // the id of that
    Time began;
    Time last_use;
  };
  using ByUse = std::list<Entry>;  // the one that has been idle longest first

  bool is_expired(const Entry& entry) const;
  void remove_expired() REQUIRES(mutex_);
  void touch(ByUse::iterator entry) REQUIRES(mutex_);
  void remove(ByUse::iterator entry) REQUIRES(mutex_);
  // One that is not in use, as it seems: somebody may have found it a moment ago.
  void end_idle(ByUse::iterator entry) REQUIRES(mutex_);
  bool make_room() REQUIRES(mutex_);
  // Of those that are not in use.
  template <class MayEnd>
  bool end_idlest(const MayEnd& may_end) REQUIRES(mutex_);
  void tell_end(const Entry& entry) const;

  const Limits limits_;
  PublishedCatalog& catalog_;
  const Clock clock_;
  std::function<void(const Session& session)> ended_;
  CallObserver* const observer_;
  Mutex mutex_;
  ByUse by_use_ GUARDED_BY(mutex_);
  std::map<std::string, std::size_t> counts_ GUARDED_BY(mutex_);  // by owner
  // The keys are the sessions' own ids.
  std::unordered_map<std::string_view, ByUse::iterator> by_id_ GUARDED_BY(mutex_);
};

}  // namespace mcph
