// A connection of TLS (RFC 8446, 5246), at the server's side or at the client's. OpenSSL reads and writes the socket
// itself, which saves the copies, and the memory for them, that a stream on top of another one has; this waits until it
// can. Used on one event loop.
#pragma once

#include <memory>

#include <boost/asio/socket_base.hpp>

#include "http/stream.hpp"
#include "http/tls/client_tls_context.hpp"
#include "http/tls/tls_context.hpp"

struct ssl_st;

namespace mcph {

class TlsStream final : public HttpStream {
 public:
  TlsStream(HttpSocket socket, HttpPeer peer, const TlsContext& context);
  // A client's, whose server has to prove that it is `host`, a name or an address.
  TlsStream(HttpSocket socket, const ClientTlsContext& context, const std::string& host);

  boost::asio::any_io_executor executor() override { return socket_.get_executor(); }
  Coroutine<Result<>> open() override;
  Coroutine<Transferred> read_some(boost::asio::mutable_buffer bytes) override;
  Coroutine<Transferred> write_some(boost::asio::const_buffer bytes) override;
  Transferred write_now(boost::asio::const_buffer bytes) override;
  bool is_at_end() override { return state_ != State::open || at_end(socket_); }
  void cancel() override;
  Coroutine<> end_sending() override;
  void shut_down() override { socket_.shutdown(HttpSocket::shutdown_both, ignored_); }
  void close() override {
    // OpenSSL knows the descriptor by its number, which may be another connection's at once.
    state_ = State::failed;
    ++cancellations_;
    socket_.close(ignored_);
  }

 private:
  using Error = boost::system::error_code;
  enum class State {
    opening,
    open,
    failed,  // nothing can be written any more, not even the end
    none     // it was no TLS, or is none any more: what still comes is read and means nothing
  };

  // Which stays to be read; 0, which is the first one of nothing: there is none.
  void use_socket();
  Coroutine<char> first_byte();
  Coroutine<Result<>> shake_hands();
  // After a call of OpenSSL that has returned `result`, and not what was wanted: waits until it makes sense to try
  // again. An error: it never will.
  Coroutine<Error> wait_for(int result, unsigned cancellations);
  // Where others of the event loop have waited for long, they have their turn.
  Coroutine<> take_turns();
  void refuse_plain_http();
  void note_certificate();

  HttpSocket socket_;
  const bool is_client_;
  const std::unique_ptr<ssl_st, void (*)(ssl_st*)> tls_;
  Error ignored_;  // the client may have gone
  State state_ = State::opening;
  unsigned cancellations_ = 0;    // so that one between two waits is not lost
  unsigned without_waiting_ = 0;  // successes one after the other
};

}  // namespace mcph
