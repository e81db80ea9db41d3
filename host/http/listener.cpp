#include "http/listener.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <bit>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <exception>
#include <fcntl.h>
#include <future>
#include <limits>
#include <memory>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <new>
#include <string>
#include <sys/resource.h>
#include <sys/socket.h>
#include <thread>
#include <tuple>
#include <utility>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>

#include "base/file_descriptor.hpp"
#include "base/regular_file.hpp"
#include "runtime/as_value.hpp"

namespace mcph {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using Endpoint = asio::generic::stream_protocol::endpoint;

constexpr unsigned max_turned_away = 16;
constexpr std::string_view too_many_connections =
    "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nConnection: close\r\nContent-Type: text/plain\r\n"
    "Content-Length: 29\r\n\r\nToo many connections are open";

// A quarter of all that the process may have is left, within bounds: a worker takes three, a reload some more. Of that
// connections `in_reserve` leave a half.
int descriptors_for_connections(bool in_reserve) {
  constexpr rlim_t min_left = 32;
  constexpr rlim_t max_left = 256;
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return std::numeric_limits<int>::max();
  const auto all = std::min(limit.rlim_cur, rlim_t{std::numeric_limits<int>::max()});
  const auto left = std::clamp(all / 4, min_left, max_left);
  return static_cast<int>(all - std::min(all, in_reserve ? left / 2 : left));
}

template <class Address>
Address as_address(const Endpoint& endpoint) {
  Address address{};
  std::memcpy(&address, endpoint.data(), std::min(endpoint.size(), sizeof address));
  return address;
}

// 0: it is none of the Internet Protocol.
std::uint16_t port_of(const Endpoint& endpoint) {
  const auto family = endpoint.data()->sa_family;
  if (family == AF_INET) return ntohs(as_address<sockaddr_in>(endpoint).sin_port);
  return family == AF_INET6 ? ntohs(as_address<sockaddr_in6>(endpoint).sin6_port) : std::uint16_t{0};
}

std::optional<IpAddress> address_of(const Endpoint& endpoint) {
  const auto family = endpoint.data()->sa_family;
  if (family == AF_INET)
    return IpAddress::v4(std::bit_cast<std::array<std::uint8_t, 4>>(as_address<sockaddr_in>(endpoint).sin_addr));
  if (family != AF_INET6) return std::nullopt;
  return IpAddress(std::bit_cast<IpAddress::Bytes>(as_address<sockaddr_in6>(endpoint).sin6_addr));
}

}  // namespace

HttpListener::HttpListener(asio::io_context& context, EventLoops& threads, const HttpLimits& limits, Log& log)
    : threads_(threads),
      limits_(limits),
      log_(log),
      acceptor_(context),
      descriptors_(descriptors_for_connections(limits.in_reserve)) {}

HttpListener::~HttpListener() {
  if (!path_.empty()) remove_socket(path_, at_path_);
}

Result<> HttpListener::listen(const HttpAddress& address, std::string_view option) {
  boost::system::error_code error;
  const auto ip = asio::ip::make_address(address.address, error);
  if (error) return fail("\"" + address.address + "\" is not an IP address");
  const tcp::endpoint local(ip, address.port);

  acceptor_.open(local.protocol(), error);
  if (!error) close_on_exec(acceptor_.native_handle());
  if (!error) acceptor_.set_option(Acceptor::reuse_address(true), error);
  if (!error) acceptor_.bind(local, error);
  if (!error) acceptor_.listen(Acceptor::max_listen_connections, error);
  if (error) {
    return fail("cannot listen on " + address.authority() + ": " + error.message() +
                (error == asio::error::address_in_use ? "; choose another port with " + std::string(option) : ""));
  }
  port_ = port_of(acceptor_.local_endpoint());
  return {};
}

Result<> HttpListener::listen(const std::filesystem::path& path) {
  constexpr ::mode_t owner_and_group = S_IRUSR | S_IWUSR | S_IRGRP | S_IWGRP;
  auto socket = listen_at(path, owner_and_group);
  if (socket.has_error()) return socket.error();
  path_ = path;
  at_path_ = *std::move(socket);
  const int copy = ::fcntl(at_path_.descriptor.get(), F_DUPFD_CLOEXEC, 0);
  if (copy < 0) return fail("cannot listen at " + path.string() + ": " + last_error());
  return adopt(copy);
}

Result<> HttpListener::inherit(int descriptor) {
  is_inherited_ = true;
  return adopt(descriptor);
}

Result<> HttpListener::adopt(int descriptor) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  boost::system::error_code error;
  const bool known = ::getsockname(descriptor, reinterpret_cast<sockaddr*>(&address), &size) == 0;
  if (!known) error.assign(errno, boost::system::system_category());
  if (!error) acceptor_.assign(asio::generic::stream_protocol(address.ss_family, 0), descriptor, error);
  if (error) return fail("cannot listen at the descriptor " + std::to_string(descriptor) + ": " + error.message());
  port_ = port_of(acceptor_.local_endpoint());
  return {};
}

void HttpListener::serve(Take take, WhenFull when_full) {
  take_ = std::move(take);
  when_full_ = when_full;
  spawn(acceptor_.get_executor(), accept());
}

Coroutine<> HttpListener::accept() {
  // To wait on the event loop takes memory.
  constexpr std::chrono::milliseconds pause{10};
  for (bool goes_on = true; goes_on;) {
    try {
      goes_on = co_await accept_next();
    } catch (const std::bad_alloc&) {
      std::this_thread::sleep_for(pause);
    }
  }
}

Coroutine<bool> HttpListener::accept_next() {
  // Where descriptors run out, accepting again at once would only burn the processor.
  constexpr std::chrono::milliseconds pause{100};
  Endpoint from;
  auto [error, accepted] = co_await acceptor_.async_accept(threads_.next_context(), from, as_value);
  if (error == asio::error::operation_aborted || error == asio::error::bad_descriptor) co_return false;
  if (error) {
    log_.error("accept failed", {{"reason", error.message()}});
    asio::steady_timer timer(acceptor_.get_executor(), pause);
    co_await timer.async_wait(as_value);
    co_return true;
  }
  hand_over(HttpSocket(std::move(accepted)), from);
  co_return true;
}

void HttpListener::accept_who_waits() {
  boost::system::error_code error;
  acceptor_.non_blocking(true, error);
  // Of one that has gone already the system may say so, for which asio would else wait.
  if (!error) acceptor_.set_option(asio::socket_base::enable_connection_aborted(true), error);
  // More may come as fast as these are accepted.
  for (int left = Acceptor::max_listen_connections; !error && left > 0; --left) {
    Endpoint from;
    auto accepted = acceptor_.accept(threads_.next_context(), from, error);
    if (!error) hand_over(HttpSocket(std::move(accepted)), from);
    if (error == asio::error::connection_aborted) error = {};
  }
}

void HttpListener::hand_over(HttpSocket socket, const Endpoint& from) {
  try {
    close_on_exec(socket.native_handle());
    const auto too_many = refusal_of(socket, {.at_unix_socket = is_local_socket(), .address = address_of(from)});
    if (too_many) refuse(std::move(socket), *too_many);
  } catch (const std::bad_alloc&) {
    // It is closed. The next one may find memory again.
  }
}

std::optional<HttpListener::TooMany> HttpListener::refusal_of(HttpSocket& socket, HttpPeer peer) const {
  if (!is_local_socket()) {
    boost::system::error_code ignored;
    // Without it a small answer waits for the acknowledgment of the one before.
    socket.set_option(tcp::no_delay(true), ignored);
    // A client whose network went away without a word is noticed by the heartbeats that nobody acknowledges.
    const auto patience = static_cast<int>(limits_.write_time.count());
    std::ignore = ::setsockopt(socket.native_handle(), IPPROTO_TCP, TCP_USER_TIMEOUT, &patience, sizeof patience);
  }
  // The system gives the lowest number that is free.
  if (socket.native_handle() >= descriptors_) {
    return TooMany{"the descriptors for connections are used up; raise the limit of open files",
                   static_cast<std::size_t>(descriptors_)};
  }
  return take_(socket, std::move(peer));
}

void HttpListener::refuse(HttpSocket socket, const TooMany& why) {
  log_.warning("connection refused", {{"reason", why.reason}, {"limit", why.limit}});
  // Beyond the bound the client learns it from the closed connection.
  if (when_full_ == WhenFull::close || turned_away_.load() >= max_turned_away) return;
  const auto executor = socket.get_executor();
  spawn(executor, turn_away(std::make_shared<HttpSocket>(std::move(socket))), nullptr,
        [this](const std::exception_ptr&) { turned_away_.fetch_sub(1); });
  // Here, because the other event loop may be long in coming to it; and where spawn has thrown, there is none.
  turned_away_.fetch_add(1);
}

Coroutine<> HttpListener::turn_away(std::shared_ptr<HttpSocket> socket) {
  co_await asio::async_write(*socket, asio::buffer(too_many_connections), as_value);
  // The request may have arrived already: closing with bytes unread would take the answer back.
  boost::system::error_code ignored;
  socket->shutdown(HttpSocket::shutdown_send, ignored);
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
}

void HttpListener::shut_down() {
  constexpr std::chrono::seconds patience{1};
  if (!path_.empty()) remove_socket(std::exchange(path_, {}), at_path_);
  at_path_ = {};
  const auto done = std::make_shared<std::promise<void>>();
  asio::post(acceptor_.get_executor(), [this, done] {
    if (take_ && !is_inherited_) accept_who_waits();
    boost::system::error_code ignored;
    acceptor_.close(ignored);
    done->set_value();
  });
  done->get_future().wait_for(patience);
}

}  // namespace mcph
