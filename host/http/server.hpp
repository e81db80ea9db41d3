// An HTTP/1.1 server: accepts connections, has a service answer their requests, and keeps the bounds
// that they have together. Owned by whoever listens; runs on the event loops; any thread.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <unordered_set>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include "base/mutex.hpp"
#include "base/principal.hpp"
#include "base/result.hpp"
#include "http/listener.hpp"
#include "http/options.hpp"
#include "http/stream.hpp"
#include "runtime/coroutine.hpp"
#include "runtime/event_loops.hpp"
#include "runtime/memory_budget.hpp"
#include "telemetry/rate_limited_log.hpp"

namespace mcph {

class HttpConnection;
class HttpService;

// The connections that exist. Shared with them, because the last of them go with the I/O contexts, after the server.
struct OpenConnections {
  Mutex mutex;
  bool shutting_down GUARDED_BY(mutex) = false;
  std::unordered_set<HttpConnection*> all GUARDED_BY(mutex);
  std::function<void()> when_none GUARDED_BY(mutex);  // is called as the last of them goes
  std::atomic<std::size_t> event_streams{0};          // that are being answered with
};

class HttpServer {
 public:
  // The threads, the service and the log outlive it. `over_network` makes what carries connections that do not come by
  // a Unix socket, such as TLS; null: they are plain.
  HttpServer(EventLoops& threads, HttpOptions options, HttpService& service, Log& log,
             MakeHttpStream over_network = nullptr);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  // Binds, so that clients that come early wait and nobody else has the port.
  Result<> listen();
  // Begins to accept. After listen.
  void serve();
  // Of the first address of the Internet Protocol at which it listens; 0: there is none.
  std::uint16_t port() const;

  // Accepts no more, and ends every connection once it has answered what it was asked.
  void shut_down();
  // Ends what is being answered to principals whose credentials are good no longer.
  void expel(IsGood is_good);
  std::size_t connections() const;
  std::size_t event_streams() const { return open_->event_streams.load(); }
  // Called whenever the last connection has gone, on its thread; quick. Before serve.
  void when_connections_end(std::function<void()> listener);

  // For the connections.
  const HttpOptions& options() const { return options_; }
  HttpService& service() const { return service_; }
  EventLoops& threads() const { return threads_; }
  Log& log() { return log_; }
  const std::shared_ptr<MemoryBudget>& budget() const { return budget_; }
  const std::shared_ptr<OpenConnections>& open_connections() const { return open_; }
  // The time, as of the last look at the connections.
  std::chrono::steady_clock::time_point now() const { return now_.load(std::memory_order_relaxed); }

 private:
  HttpListener& add_listener();
  std::optional<HttpListener::TooMany> take(HttpSocket& socket, HttpPeer peer, const MakeHttpStream& make);
  Coroutine<> attend_connections();
  void attend_connections_once(std::chrono::steady_clock::time_point now);
  void return_memory(std::chrono::steady_clock::time_point now);
  void make_room(std::chrono::steady_clock::time_point now);
  // To be used without the mutex: the last of these pointers may be the last one, and its end takes the mutex.
  std::vector<std::shared_ptr<HttpConnection>> alive() const EXCLUDES(open_->mutex);

  EventLoops& threads_;
  const HttpOptions options_;
  HttpService& service_;
  RateLimitedLog log_;  // of what clients cause
  const MakeHttpStream over_network_;
  boost::asio::io_context& context_;  // on which it accepts, and looks at its connections
  std::vector<std::unique_ptr<HttpListener>> listeners_;
  boost::asio::steady_timer attention_;
  std::atomic<std::chrono::steady_clock::time_point> now_{std::chrono::steady_clock::now()};

  const std::shared_ptr<OpenConnections> open_ = std::make_shared<OpenConnections>();
  const std::shared_ptr<MemoryBudget> budget_;

  // What makes the host hold and free much memory, as of the last look: connections that came and went, and bytes of
  // the budget.
  std::uint64_t admitted_ = 0;
  std::uint64_t connections_moved_ = 0;
  std::uint64_t bytes_moved_ = 0;
  std::chrono::steady_clock::time_point memory_looked_at_{};
  bool was_busy_ = false;  // before that look
};

}  // namespace mcph
