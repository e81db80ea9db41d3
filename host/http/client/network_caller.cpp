#include "http/client/network_caller.hpp"

#include <exception>
#include <mutex>
#include <optional>
#include <tuple>
#include <utility>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/connect.hpp>
#include <boost/asio/ip/tcp.hpp>
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

#include "base/version.hpp"
#include "runtime/as_value.hpp"

namespace mcph {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using asio::ip::tcp;
using boost::system::error_code;

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
        resolver_(socket_.get_executor()),
        deadline_(socket_.get_executor()),
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

  // Goes no further once the deadline is over; a look-up of a name cannot be cancelled.
  asio::awaitable<error_code> exchange() {
    const auto [unresolved, addresses] = co_await resolver_.async_resolve(call_.url.host, call_.url.port, as_value);
    if (unresolved || !done_) co_return unresolved;
    const auto [unreached, address] = co_await asio::async_connect(socket_, addresses, as_value);
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
    resolver_.cancel();
    error_code ignored;
    socket_.close(ignored);
  }

  tcp::socket socket_;
  tcp::resolver resolver_;
  asio::steady_timer deadline_;
  const std::shared_ptr<Trust> trust_;
  const HttpCall call_;
  std::function<void(Result<HttpAnswer>)> done_;
};

NetworkCaller::NetworkCaller(EventLoops& loops) : loops_(loops), trust_(std::make_shared<Trust>()) {}
NetworkCaller::~NetworkCaller() = default;

void NetworkCaller::send(HttpCall call, std::function<void(Result<HttpAnswer>)> done) {
  std::make_shared<Exchange>(loops_.next_context(), trust_, std::move(call), std::move(done))->start();
}

}  // namespace mcph
