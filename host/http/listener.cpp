#include "http/listener.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <netinet/tcp.h>
#include <string>
#include <sys/resource.h>
#include <sys/socket.h>
#include <tuple>
#include <utility>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>

#include "runtime/as_value.hpp"

namespace mcph {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;

constexpr unsigned max_turned_away = 16;
constexpr std::string_view too_many_connections =
    "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nConnection: close\r\nContent-Type: text/plain\r\n"
    "Content-Length: 29\r\n\r\nToo many connections are open\n";

// A quarter of all that the process may have is left, within bounds: a worker takes three, a reload some more.
int descriptors_for_connections() {
  constexpr rlim_t least_left = 32;
  constexpr rlim_t max_left = 256;
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return std::numeric_limits<int>::max();
  const auto all = std::min(limit.rlim_cur, rlim_t{std::numeric_limits<int>::max()});
  return static_cast<int>(all - std::min(all, std::clamp(all / 4, least_left, max_left)));
}

}  // namespace

HttpListener::HttpListener(EventLoops& threads, const HttpOptions& options, Log& log)
    : threads_(threads),
      options_(options),
      log_(log),
      acceptor_(threads.next_context()),
      descriptors_(descriptors_for_connections()) {}

Result<> HttpListener::listen() {
  boost::system::error_code error;
  const auto address = asio::ip::make_address(options_.listen.address, error);
  if (error) return fail("\"" + options_.listen.address + "\" is not an IP address");
  const tcp::endpoint local(address, options_.listen.port);
  const auto where = options_.listen.authority();

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

void HttpListener::serve(Take take) {
  asio::co_spawn(acceptor_.get_executor(), accept(std::move(take)), asio::detached);
}

asio::awaitable<void> HttpListener::accept(Take take) {
  // Where descriptors run out, accepting again at once would only burn the processor.
  constexpr std::chrono::milliseconds pause{100};
  asio::steady_timer timer(acceptor_.get_executor());
  for (;;) {
    auto [error, accepted] = co_await acceptor_.async_accept(threads_.next_context(), as_value);
    if (error == asio::error::operation_aborted || error == asio::error::bad_descriptor) co_return;
    if (error) {
      log_.error("accept failed", {{"reason", error.message()}});
      timer.expires_after(pause);
      co_await timer.async_wait(as_value);
      continue;
    }
    Socket socket(std::move(accepted));
    if (const auto too_many = refusal_of(socket, take)) refuse(std::move(socket), *too_many);
  }
}

std::optional<HttpListener::TooMany> HttpListener::refusal_of(Socket& socket, const Take& take) const {
  boost::system::error_code ignored;
  // Without it a small answer waits for the acknowledgment of the one before.
  socket.set_option(tcp::no_delay(true), ignored);
  // A client whose network went away without a word is noticed by the heartbeats that nobody acknowledges.
  const auto patience = static_cast<int>(options_.limits.write_time.count());
  std::ignore = ::setsockopt(socket.native_handle(), IPPROTO_TCP, TCP_USER_TIMEOUT, &patience, sizeof patience);
  // The system gives the lowest number that is free.
  if (socket.native_handle() >= descriptors_) {
    return TooMany{"the descriptors for connections are used up; raise the limit of open files",
                   static_cast<std::size_t>(descriptors_)};
  }
  return take(socket);
}

void HttpListener::refuse(Socket socket, const TooMany& why) {
  log_.warning("connection refused", {{"reason", why.reason}, {"limit", why.limit}});
  // Beyond the bound the client learns it from the closed connection.
  if (turned_away_.load() >= max_turned_away) return;
  turned_away_.fetch_add(1);  // here, because the other event loop may be long in coming to it
  const auto executor = socket.get_executor();
  asio::co_spawn(executor, turn_away(std::make_shared<Socket>(std::move(socket))), asio::detached);
}

asio::awaitable<void> HttpListener::turn_away(std::shared_ptr<Socket> socket) {
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

void HttpListener::shut_down() {
  asio::post(acceptor_.get_executor(), [this] {
    boost::system::error_code ignored;
    acceptor_.close(ignored);
  });
}

}  // namespace mcph
