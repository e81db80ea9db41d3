#include "transport/streamable_http/http_server.hpp"

#include <algorithm>
#include <limits>
#include <netinet/tcp.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <tuple>
#include <utility>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

#include "runtime/as_value.hpp"
#include "runtime/freed_memory.hpp"
#include "transport/streamable_http/http_connection.hpp"

namespace mcph {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;

constexpr unsigned most_turned_away = 16;
constexpr std::string_view too_many_connections =
    "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nConnection: close\r\nContent-Type: text/plain\r\n"
    "Content-Length: 29\r\n\r\nToo many connections are open\n";

// A quarter of all that the process may have is left, within bounds: a worker takes three, a reload some more.
int descriptors_for_connections() {
  constexpr rlim_t least_left = 32;
  constexpr rlim_t most_left = 256;
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return std::numeric_limits<int>::max();
  const auto all = std::min(limit.rlim_cur, rlim_t{std::numeric_limits<int>::max()});
  return static_cast<int>(all - std::min(all, std::clamp(all / 4, least_left, most_left)));
}

}  // namespace

HttpServer::HttpServer(ServingThreads& threads, HttpOptions options, Server& server, Log& log)
    : threads_(threads),
      options_(std::move(options)),
      server_(server),
      log_(log, max_lines_of_clients),
      acceptor_(threads.next_context()),
      attention_(acceptor_.get_executor()),
      descriptors_(descriptors_for_connections()),
      events_(std::make_shared<EventLog>(options_.limits.events)),
      budget_(std::make_shared<MemoryBudget>(options_.limits.buffered_bytes)),
      sse_clients_(budget_) {}

HttpServer::~HttpServer() = default;

Result<> HttpServer::listen() {
  boost::system::error_code error;
  const auto address = asio::ip::make_address(options_.address, error);
  if (error) return fail("\"" + options_.address + "\" is not an IP address");
  const tcp::endpoint local(address, options_.port);
  const auto where = options_.address + ":" + std::to_string(options_.port);

  acceptor_.open(local.protocol(), error);
  if (!error) acceptor_.set_option(tcp::acceptor::reuse_address(true), error);
  if (!error) acceptor_.bind(local, error);
  if (!error) acceptor_.listen(tcp::acceptor::max_listen_connections, error);
  if (error) {
    return fail("cannot listen on " + where + ": " + error.message() +
                (error == asio::error::address_in_use ? "; choose another port with --listen" : ""));
  }
  port_ = acceptor_.local_endpoint().port();
  return {};
}

void HttpServer::serve() {
  asio::co_spawn(acceptor_.get_executor(), accept(), asio::detached);
  asio::co_spawn(acceptor_.get_executor(), attend_connections(), asio::detached);
}

asio::awaitable<void> HttpServer::accept() {
  // Where descriptors run out, accepting again at once would only burn the processor.
  constexpr std::chrono::milliseconds pause{100};
  asio::steady_timer timer(acceptor_.get_executor());
  for (;;) {
    auto [error, socket] = co_await acceptor_.async_accept(threads_.next_context(), as_value);
    if (error == asio::error::operation_aborted || error == asio::error::bad_descriptor) co_return;
    if (error) {
      log_.error("accept failed", {{"reason", error.message()}});
      timer.expires_after(pause);
      co_await timer.async_wait(as_value);
      continue;
    }
    admit(std::move(socket));
  }
}

asio::awaitable<void> HttpServer::attend_connections() {
  constexpr std::chrono::milliseconds interval{50};
  for (;;) {
    attention_.expires_after(interval);
    co_await attention_.async_wait(as_value);
    const auto now = std::chrono::steady_clock::now();
    now_.store(now, std::memory_order_relaxed);
    for (const auto& connection : alive())
      connection->attend(now);
    events_->forget_unused();
    if (budget_->was_short()) make_room(now);
    return_memory(now);
    log_.tell_left_out();
  }
}

// malloc keeps what a burst of clients has needed. It goes back when they have been quiet for a while, and again when
// those go that stayed idle until then. What a client needs that asks now and then is not worth it.
void HttpServer::return_memory(std::chrono::steady_clock::time_point now) {
  constexpr std::chrono::seconds interval{2};
  constexpr std::uint64_t few_connections = 16;
  constexpr std::uint64_t few_bytes = std::uint64_t{1} << 20;
  if (now - memory_looked_at_ < interval) return;
  memory_looked_at_ = now;
  const auto moved = [](std::uint64_t& before, std::uint64_t all) { return all - std::exchange(before, all); };
  const auto gone = admitted_ - connections();
  const auto connections_moved = moved(connections_moved_, admitted_ + gone);
  const auto bytes_moved = moved(bytes_moved_, budget_->moved());
  const bool busy = connections_moved > few_connections || bytes_moved > few_bytes;
  if (!busy && was_busy_) threads_.run_long(0, return_freed_memory);
  was_busy_ = busy;
}

// One at a time, because the memory of one may be enough.
void HttpServer::make_room(std::chrono::steady_clock::time_point now) {
  const auto all = alive();
  const auto longest = std::ranges::min_element(all, {}, &HttpConnection::yields_at);
  if (longest == all.end()) return;
  const auto yields_at = (*longest)->yields_at();
  if (yields_at <= now) (*longest)->give_way(yields_at);
}

void HttpServer::admit(tcp::socket socket) {
  boost::system::error_code ignored;
  // Without it a small answer waits for the acknowledgment of the one before.
  socket.set_option(tcp::no_delay(true), ignored);
  // A client whose network went away without a word is noticed by the heartbeats that nobody acknowledges.
  const auto patience = static_cast<int>(options_.limits.write_time.count());
  std::ignore = ::setsockopt(socket.native_handle(), IPPROTO_TCP, TCP_USER_TIMEOUT, &patience, sizeof patience);
  // Only here is one added, so that there is still room when it is.
  if (connections() >= options_.limits.connections) {
    return refuse(std::move(socket), "too many are open", options_.limits.connections);
  }
  // The system gives the lowest number that is free.
  if (const auto limit = descriptors_; socket.native_handle() >= limit) {
    return refuse(std::move(socket), "the descriptors for connections are used up; raise the limit of open files",
                  static_cast<std::size_t>(limit));
  }
  ++admitted_;
  const auto connection = std::make_shared<HttpConnection>(std::move(socket), *this);
  {
    const std::lock_guard lock(open_->mutex);
    if (open_->shutting_down) return;
    open_->all.insert(connection.get());
  }
  connection->start();
}

void HttpServer::refuse(tcp::socket socket, std::string_view reason, std::size_t limit) {
  log_.warning("connection refused", {{"reason", reason}, {"limit", limit}});
  // Beyond the bound the client learns it from the closed connection.
  if (turned_away_.load() >= most_turned_away) return;
  turned_away_.fetch_add(1);  // here, because the other lane may be long in coming to it
  const auto executor = socket.get_executor();
  asio::co_spawn(executor, turn_away(std::make_shared<tcp::socket>(std::move(socket))), asio::detached);
}

asio::awaitable<void> HttpServer::turn_away(std::shared_ptr<tcp::socket> socket) {
  co_await asio::async_write(*socket, asio::buffer(too_many_connections), as_value);
  // The request may have arrived already: closing with bytes unread would take the answer back.
  boost::system::error_code ignored;
  socket->shutdown(tcp::socket::shutdown_send, ignored);
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(1);
  asio::steady_timer timer(socket->get_executor(), deadline);
  timer.async_wait([socket](const boost::system::error_code& cancelled) {
    boost::system::error_code unimportant;
    if (!cancelled) socket->cancel(unimportant);
  });
  char discarded[4096];
  while (std::chrono::steady_clock::now() < deadline) {
    const auto [error, count] = co_await socket->async_read_some(asio::buffer(discarded), as_value);
    if (error) break;
  }
  turned_away_.fetch_sub(1);
}

void HttpServer::shut_down() {
  asio::post(acceptor_.get_executor(), [this] {
    boost::system::error_code ignored;
    acceptor_.close(ignored);
  });
  {
    const std::lock_guard lock(open_->mutex);
    open_->shutting_down = true;
  }
  sse_clients_.shut_down();
  for (const auto& connection : alive())
    connection->shut_down();
}

std::vector<std::shared_ptr<HttpConnection>> HttpServer::alive() const {
  std::vector<std::shared_ptr<HttpConnection>> connections;
  const std::lock_guard lock(open_->mutex);
  connections.reserve(open_->all.size());
  for (auto* connection : open_->all) {
    // Null while it is being destroyed.
    if (auto shared = connection->weak_from_this().lock()) connections.push_back(std::move(shared));
  }
  return connections;
}

std::size_t HttpServer::connections() const {
  const std::lock_guard lock(open_->mutex);
  return open_->all.size();
}

}  // namespace mcph
