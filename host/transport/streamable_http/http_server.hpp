// The streamable HTTP transport: accepts connections on one address and serves the MCP endpoint to each. Made by main
// on the serving threads; its functions may be called from any thread.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_set>
#include <vector>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>

#include "base/result.hpp"
#include "protocol/server/server.hpp"
#include "runtime/serving_threads.hpp"
#include "telemetry/rate_limited_log.hpp"
#include "transport/sse/sse_clients.hpp"
#include "transport/streamable_http/event_log.hpp"
#include "transport/streamable_http/http_options.hpp"
#include "transport/streamable_http/mcp_endpoint.hpp"

namespace mcph {

class HttpConnection;

// The connections that exist. Shared with them, because the last of them go with the I/O contexts, after the server.
struct OpenConnections {
  std::mutex mutex;
  bool shutting_down = false;
  std::unordered_set<HttpConnection*> all;
};

class HttpServer {
 public:
  static constexpr std::string_view endpoint = mcp_endpoint;

  // The threads, the server and the log outlive it.
  HttpServer(ServingThreads& threads, HttpOptions options, Server& server, Log& log);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  // Binds, so that clients that come early wait and nobody else has the port.
  Result<> listen();
  // Begins to accept. After listen.
  void serve();
  std::uint16_t port() const { return port_; }

  // Accepts no more, and ends every connection once it has answered what it was asked.
  void shut_down();
  std::size_t connections() const;

 private:
  friend class HttpConnection;

  boost::asio::awaitable<void> accept();
  boost::asio::awaitable<void> attend_connections();
  void return_memory(std::chrono::steady_clock::time_point now);
  void make_room(std::chrono::steady_clock::time_point now);
  void admit(boost::asio::ip::tcp::socket socket);
  void refuse(boost::asio::ip::tcp::socket socket, std::string_view reason, std::size_t limit);
  boost::asio::awaitable<void> turn_away(std::shared_ptr<boost::asio::ip::tcp::socket> socket);
  // To be used without the mutex: the last of these pointers may be the last one, and its end takes the mutex.
  std::vector<std::shared_ptr<HttpConnection>> alive() const;
  // The time, as of the last look at the connections.
  std::chrono::steady_clock::time_point now() const { return now_.load(std::memory_order_relaxed); }

  ServingThreads& threads_;
  const HttpOptions options_;
  Server& server_;
  McpEndpoint endpoint_{server_};
  RateLimitedLog log_;  // of what clients cause
  boost::asio::ip::tcp::acceptor acceptor_;
  boost::asio::steady_timer attention_;
  std::uint16_t port_ = 0;
  const int descriptors_;  // that connections may use; the others are for workers, reloads and the operator
  std::atomic<std::chrono::steady_clock::time_point> now_{std::chrono::steady_clock::now()};

  const std::shared_ptr<OpenConnections> open_ = std::make_shared<OpenConnections>();
  const std::shared_ptr<EventLog> events_;
  const std::shared_ptr<MemoryBudget> budget_;
  SseClients sse_clients_;
  std::atomic<unsigned> turned_away_{0};  // that are being told so, or are about to be

  // What makes the host hold and free much memory, as of the last look: connections that came and went, and bytes of
  // the budget.
  std::uint64_t admitted_ = 0;
  std::uint64_t connections_moved_ = 0;
  std::uint64_t bytes_moved_ = 0;
  std::chrono::steady_clock::time_point memory_looked_at_{};
  bool was_busy_ = false;  // before that look
};

}  // namespace mcph
