// The connections to one origin: each serves one request at a time, waits for another one afterwards, and is closed
// when none comes. A request takes one that is idle, on its own event loop if there is one there; else a new one, as
// long as there may be more; else it waits for its turn. One timer, at the earliest time at which something of all this
// is late, so that a request costs no timer. Shared with the connections until `close`; any thread.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include <boost/asio/steady_timer.hpp>

#include "base/mutex.hpp"
#include "http/client/name_lookup.hpp"
#include "http/client/sent_request.hpp"
#include "http/client/trusted_authorities.hpp"
#include "runtime/event_loops.hpp"

namespace mcph {

struct HttpClientOptions {
  std::shared_ptr<TrustedAuthorities> authorities = std::make_shared<TrustedAuthorities>();
  std::string user_agent = {};                  // of the operator; empty: the host's own
  std::size_t max_connections = 128;            // to one origin
  std::size_t max_waiting = 1024;               // requests that have none
  std::chrono::milliseconds idle_time{50'000};  // of a connection between requests
};

class ClientConnection;

class ConnectionPool final : public std::enable_shared_from_this<ConnectionPool> {
 public:
  using Clock = SentRequest::Clock;

  // The event loops outlive it, the names until `close`.
  ConnectionPool(EventLoops& loops, const HttpUrl& origin, const HttpClientOptions& options, NameLookup& names);

  void send(const std::shared_ptr<SentRequest>& request);
  // Connections are closed, and what is in flight fails: on the event loops, and never within this call.
  void close();

  // For its connections.
  const HttpUrl& origin() const { return origin_; }
  // Of each request: "Host" and "User-Agent".
  const std::string& common_fields() const { return common_fields_; }
  std::chrono::milliseconds idle_time() const { return options_.idle_time; }
  TrustedAuthorities& authorities() const { return *options_.authorities; }
  void find(NameLookup::Found found);
  void is_idle(const std::shared_ptr<ClientConnection>& connection);
  void has_closed(const std::shared_ptr<ClientConnection>& connection);
  // It is looked at then, whatever it waits for.
  void look_at(Clock::time_point due) {
    if (due < look_.load()) look_earlier(due);
  }

 private:
  std::shared_ptr<ClientConnection> idle_one(boost::asio::io_context& here, bool on_any_loop) REQUIRES(mutex_);
  // Those that have been cancelled are for who called it to let go, without the lock: they may own this.
  using Requests = std::vector<std::shared_ptr<SentRequest>>;
  std::shared_ptr<SentRequest> next_waiting(Requests& cancelled) REQUIRES(mutex_);
  std::shared_ptr<ClientConnection> add_connection(boost::asio::io_context& here) REQUIRES(mutex_);
  void look_earlier(Clock::time_point due);
  void set_timer(Clock::time_point due) REQUIRES(mutex_);
  void look();

  EventLoops& loops_;
  const HttpUrl origin_;
  const HttpClientOptions options_;
  const std::string common_fields_;

  Mutex mutex_;
  NameLookup* names_ GUARDED_BY(mutex_);  // null: it is closed
  std::vector<std::shared_ptr<ClientConnection>> connections_ GUARDED_BY(mutex_);
  std::vector<std::shared_ptr<ClientConnection>> idle_ GUARDED_BY(mutex_);  // the last one was used last
  std::deque<std::shared_ptr<SentRequest>> waiting_ GUARDED_BY(mutex_);
  boost::asio::steady_timer timer_ GUARDED_BY(mutex_);
  std::atomic<Clock::time_point> look_{Clock::time_point::max()};  // when the timer ends; max: it does not run
};

}  // namespace mcph
