#include "http/client/network_caller.hpp"

#include <charconv>
#include <cstdint>
#include <exception>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/host_name_verification.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/span_body.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>

#include "base/file_descriptor.hpp"
#include "base/version.hpp"
#include "runtime/as_value.hpp"

namespace mcph {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using asio::ip::tcp;
using boost::system::error_code;

// It has been checked to be one.
std::uint16_t port_of(const HttpUrl& url) {
  std::uint16_t port = 0;
  std::from_chars(url.port.data(), url.port.data() + url.port.size(), port);
  return port;
}

}  // namespace

// What this machine trusts, read when it is needed first, because that takes milliseconds.
struct NetworkCaller::Trust {
  std::once_flag once;
  std::optional<asio::ssl::context> context;
  error_code error;

  asio::ssl::context* get() {
    std::call_once(once, [this] {
      context.emplace(asio::ssl::context::tls_client);
      context->set_options(asio::ssl::context::no_tlsv1 | asio::ssl::context::no_tlsv1_1, error);
      if (!error) context->set_verify_mode(asio::ssl::verify_peer, error);
      if (!error) context->set_default_verify_paths(error);
    });
    return error ? nullptr : &*context;
  }
};

// One call. Lives for as long as it is in flight; used on one event loop.
class NetworkCaller::Exchange final : public std::enable_shared_from_this<NetworkCaller::Exchange> {
 public:
  Exchange(asio::io_context& context, std::shared_ptr<Trust> trust, HttpCall call,
           std::function<void(Result<HttpAnswer>)> done)
      : socket_(asio::make_strand(context)),
        deadline_(socket_.get_executor()),
        found_signal_(socket_.get_executor(), asio::steady_timer::time_point::max()),
        trust_(std::move(trust)),
        call_(std::move(call)),
        done_(std::move(done)) {}

  void start() {
    asio::co_spawn(
        socket_.get_executor(), [self = shared_from_this()] { return self->run(); },
        [self = shared_from_this()](const std::exception_ptr& failed) {
          if (failed) self->end(fail_for_now("there is no memory to ask it"));
        });
  }

  const std::string& host() const { return call_.url.host; }
  // Any thread, while the event loops live.
  void found(const NameLookup::Addresses& addresses) {
    asio::post(socket_.get_executor(), [self = shared_from_this(), addresses] {
      self->addresses_ = addresses;
      self->found_signal_.cancel();
    });
  }

 private:
  asio::awaitable<void> run() {
    deadline_.expires_after(call_.patience);
    deadline_.async_wait([self = shared_from_this()](const error_code& error) {
      if (error) return;
      self->end(fail_for_now("it did not answer within " + std::to_string(self->call_.patience.count()) + " ms"));
      self->abandon();
    });
    const auto error = co_await exchange();
    deadline_.cancel();
    if (error) end(fail_for_now(error.message()));
    error_code ignored;
    socket_.close(ignored);
  }

  // Goes no further once the deadline is over.
  asio::awaitable<error_code> exchange() {
    while (!addresses_ && done_)
      co_await found_signal_.async_wait(as_value);
    if (!done_) co_return error_code();
    if (addresses_->has_error()) {
      end(addresses_->error());
      co_return error_code();
    }
    const auto unreached = co_await connect(**addresses_);
    if (unreached || !done_) co_return unreached;
    if (!call_.url.tls) {
      const auto error = co_await talk(socket_);
      co_return error;
    }
    auto* const context = trust_->get();
    if (context == nullptr) co_return trust_->error;
    asio::ssl::stream<tcp::socket&> stream(socket_, *context);
    stream.set_verify_callback(asio::ssl::host_name_verification(call_.url.host));
    // The name of the host, where it is none by number (RFC 6066 section 3).
    error_code no_address;
    asio::ip::make_address(call_.url.host, no_address);
    if (no_address) SSL_set_tlsext_host_name(stream.native_handle(), call_.url.host.c_str());
    const auto [refused] = co_await stream.async_handshake(asio::ssl::stream_base::client, as_value);
    if (refused || !done_) co_return refused;
    const auto error = co_await talk(stream);
    co_return error;
  }

  // To the first address that somebody answers at.
  asio::awaitable<error_code> connect(const std::vector<asio::ip::address>& addresses) {
    error_code error = asio::error::host_not_found;
    for (const auto& address : addresses) {
      const tcp::endpoint server(address, port_of(call_.url));
      socket_.close(error);
      socket_.open(server.protocol(), error);
      if (error) continue;
      close_on_exec(socket_.native_handle());
      std::tie(error) = co_await socket_.async_connect(server, as_value);
      if (!error || !done_) break;
    }
    co_return error;
  }

  template <class Stream>
  asio::awaitable<error_code> talk(Stream& stream) {
    http::request<http::span_body<const char>> request(call_.body.empty() ? http::verb::get : http::verb::post,
                                                       call_.url.target, 11, call_.body);
    request.set(http::field::host, call_.url.authority);
    request.set(http::field::user_agent, std::string("mcp-plugin-host/") + host_version);
    request.set(http::field::connection, "close");
    for (const auto& [name, value] : call_.fields)
      request.set(name, value);
    if (!call_.body.empty()) request.prepare_payload();
    const auto [unsent, sent] = co_await http::async_write(stream, request, as_value);
    if (unsent || !done_) co_return unsent;
    http::response_parser<http::string_body> parser;
    parser.body_limit(call_.max_answer);
    boost::beast::flat_buffer buffer;
    const auto [unread, read] = co_await http::async_read(stream, buffer, parser, as_value);
    if (unread) co_return unread;
    end(HttpAnswer{parser.get().result_int(), std::move(parser.get().body())});
    co_return error_code();
  }

  void end(Result<HttpAnswer> answer) {
    if (auto done = std::exchange(done_, nullptr)) done(std::move(answer));
  }

  void abandon() {
    found_signal_.cancel();
    error_code ignored;
    socket_.close(ignored);
  }

  tcp::socket socket_;
  asio::steady_timer deadline_;
  asio::steady_timer found_signal_;  // never expires; cancelled when the addresses are there, or nobody waits for them
  std::optional<NameLookup::Addresses> addresses_;
  const std::shared_ptr<Trust> trust_;
  const HttpCall call_;
  std::function<void(Result<HttpAnswer>)> done_;
};

NetworkCaller::NetworkCaller(EventLoops& loops, NameLookup::Resolve resolve)
    : loops_(loops), trust_(std::make_shared<Trust>()), names_(std::move(resolve)) {}
NetworkCaller::~NetworkCaller() = default;

void NetworkCaller::send(HttpCall call, std::function<void(Result<HttpAnswer>)> done) {
  const auto exchange = std::make_shared<Exchange>(loops_.next_context(), trust_, std::move(call), std::move(done));
  exchange->start();
  // The exchange is its event loop's, which may end before the name is found.
  names_.find(exchange->host(), [weak = std::weak_ptr(exchange)](const NameLookup::Addresses& addresses) {
    if (const auto waiting = weak.lock()) waiting->found(addresses);
  });
}

}  // namespace mcph
