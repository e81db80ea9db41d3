#include "http/tls/tls_stream.hpp"

#include <cerrno>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <string_view>
#include <sys/socket.h>
#include <tuple>
#include <utility>

#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>

#include "base/c_owner.hpp"
#include "http/tls/client_certificate.hpp"
#include "http/tls/tls_error.hpp"

namespace mcph {
namespace {

namespace asio = boost::asio;

constexpr unsigned max_without_waiting = 16;
constexpr std::string_view not_by_tls =
    "HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Type: text/plain\r\nContent-Length: 68\r\n\r\n"
    "This port speaks HTTPS only; write https:// instead of http:// here\n";

// Of a handshake that has failed.
std::string reason_of(const SSL* tls) {
  const auto verified = SSL_get_verify_result(tls);
  auto words = tls_error_words();
  if (verified != X509_V_OK) words.append(": ").append(X509_verify_cert_error_string(verified));
  return words;
}

}  // namespace

TlsStream::TlsStream(HttpSocket socket, HttpPeer peer, const TlsContext& context)
    : HttpStream(std::move(peer)),
      socket_(std::move(socket)),
      is_client_(false),
      tls_(SSL_new(context.native()), SSL_free) {
  use_socket();
  if (state_ == State::opening) SSL_set_accept_state(tls_.get());
}

TlsStream::TlsStream(HttpSocket socket, const ClientTlsContext& context, const std::string& host)
    : HttpStream(HttpPeer()), socket_(std::move(socket)), is_client_(true), tls_(context.expect(host), SSL_free) {
  use_socket();
  if (state_ == State::opening) SSL_set_connect_state(tls_.get());
}

void TlsStream::use_socket() {
  socket_.native_non_blocking(true, ignored_);
  if (tls_ != nullptr && SSL_set_fd(tls_.get(), socket_.native_handle()) == 1) return;
  ERR_clear_error();
  state_ = State::failed;
}

Coroutine<Result<>> TlsStream::open() {
  if (state_ == State::failed) co_return fail("there is no memory for TLS");
  if (is_client_) {
    auto shaken = co_await shake_hands();
    state_ = shaken.has_value() ? State::open : State::failed;
    co_return shaken;
  }
  const char first = co_await first_byte();
  if (first == '\0') {
    state_ = State::none;
    co_return fail("");
  }
  // A handshake's is no letter (RFC 8446 section 5.1), and that of a request is nothing else.
  if (first >= 'A' && first <= 'Z') {
    refuse_plain_http();
    co_return fail("it is a request without TLS");
  }
  auto shaken = co_await shake_hands();
  state_ = shaken.has_value() ? State::open : State::none;
  if (shaken.has_value()) note_certificate();
  co_return shaken;
}

Coroutine<char> TlsStream::first_byte() {
  for (;;) {
    const auto [error] = co_await socket_.async_wait(HttpSocket::wait_read, as_value);
    char first = 0;
    if (error || cancellations_ > 0) co_return first;
    const auto count = ::recv(socket_.native_handle(), &first, 1, MSG_PEEK | MSG_DONTWAIT);
    // It may be told that there is something before there is.
    if (count >= 0 || (errno != EAGAIN && errno != EINTR)) co_return first;
  }
}

Coroutine<Result<>> TlsStream::shake_hands() {
  const auto cancellations = cancellations_;
  for (;;) {
    ERR_clear_error();
    const int result = SSL_do_handshake(tls_.get());
    if (result == 1) co_return Result<>();
    const auto error = co_await wait_for(result, cancellations);
    if (!error) continue;
    if (error == asio::error::operation_aborted) co_return fail("the handshake did not end in time");
    if (error == asio::error::eof)
      co_return fail((is_client_ ? "the server" : "the client") +
                     std::string(" has gone in the middle of the handshake"));
    co_return fail(reason_of(tls_.get()));
  }
}

Coroutine<TlsStream::Error> TlsStream::wait_for(int result, unsigned cancellations) {
  const int why = SSL_get_error(tls_.get(), result);
  if (why == SSL_ERROR_ZERO_RETURN) co_return asio::error::eof;
  if (why == SSL_ERROR_WANT_READ || why == SSL_ERROR_WANT_WRITE) {
    without_waiting_ = 0;
    if (cancellations != cancellations_) co_return asio::error::operation_aborted;
    const auto until = why == SSL_ERROR_WANT_READ ? HttpSocket::wait_read : HttpSocket::wait_write;
    const auto [error] = co_await socket_.async_wait(until, as_value);
    if (!error && cancellations != cancellations_) co_return asio::error::operation_aborted;
    co_return error;
  }
  // After either nothing more may be said (SSL_get_error(3)). An end without the alert that announces it may be made by
  // anybody on the way (RFC 8446 section 6.1), and is none.
  const bool was_open = state_ == State::open;
  state_ = State::failed;
  const bool at_end =
      why == SSL_ERROR_SYSCALL || ERR_GET_REASON(ERR_peek_last_error()) == SSL_R_UNEXPECTED_EOF_WHILE_READING;
  if (at_end || was_open) ERR_clear_error();
  co_return at_end && !was_open ? asio::error::eof : Error(asio::error::connection_reset);
}

Coroutine<> TlsStream::take_turns() {
  if (++without_waiting_ < max_without_waiting) co_return;
  without_waiting_ = 0;
  co_await asio::post(executor(), as_value);
}

Coroutine<HttpStream::Transferred> TlsStream::read_some(asio::mutable_buffer bytes) {
  if (state_ == State::none) {
    auto read = co_await socket_.async_read_some(bytes, as_value);
    co_return read;
  }
  const auto cancellations = cancellations_;
  while (state_ == State::open) {
    ERR_clear_error();
    std::size_t count = 0;
    const int result = SSL_read_ex(tls_.get(), bytes.data(), bytes.size(), &count);
    if (result == 1) {
      co_await take_turns();
      co_return Transferred(Error(), count);
    }
    const auto error = co_await wait_for(result, cancellations);
    if (error) co_return Transferred(error, 0);
  }
  co_return Transferred(asio::error::connection_reset, 0);
}

Coroutine<HttpStream::Transferred> TlsStream::write_some(asio::const_buffer bytes) {
  const auto cancellations = cancellations_;
  while (state_ == State::open) {
    ERR_clear_error();
    std::size_t count = 0;
    const int result = SSL_write_ex(tls_.get(), bytes.data(), bytes.size(), &count);
    if (result == 1) {
      co_await take_turns();
      co_return Transferred(Error(), count);
    }
    const auto error = co_await wait_for(result, cancellations);
    if (!error) continue;
    // A part of it may be on the way.
    state_ = State::failed;
    co_return Transferred(error, 0);
  }
  co_return Transferred(asio::error::broken_pipe, 0);
}

HttpStream::Transferred TlsStream::write_now(asio::const_buffer bytes) {
  if (state_ != State::open) return Transferred(asio::error::broken_pipe, 0);
  std::size_t written = 0;
  // Each time a record, of 16 KiB at most. So many are as many as others of the event loop should wait for.
  for (unsigned records = 0; written < bytes.size() && records < max_without_waiting; ++records) {
    ERR_clear_error();
    const auto rest = bytes + written;
    std::size_t count = 0;
    const int result = SSL_write_ex(tls_.get(), rest.data(), rest.size(), &count);
    written += count;
    if (result == 1) continue;
    const int why = SSL_get_error(tls_.get(), result);
    const bool would_block = why == SSL_ERROR_WANT_READ || why == SSL_ERROR_WANT_WRITE;
    if (!would_block) {
      ERR_clear_error();
      state_ = State::failed;
    }
    if (written > 0) break;  // what is wrong, the next write is told
    return Transferred(would_block ? asio::error::would_block : asio::error::connection_reset, 0);
  }
  return Transferred(Error(), written);
}

void TlsStream::cancel() {
  ++cancellations_;
  socket_.cancel(ignored_);
}

Coroutine<> TlsStream::end_sending() {
  const auto cancellations = cancellations_;
  while (state_ == State::open) {
    ERR_clear_error();
    const int result = SSL_shutdown(tls_.get());
    if (result >= 0) break;
    const auto error = co_await wait_for(result, cancellations);
    if (error) break;
  }
  ERR_clear_error();
  socket_.shutdown(HttpSocket::shutdown_send, ignored_);
}

void TlsStream::refuse_plain_http() {
  state_ = State::none;
  std::ignore = ::send(socket_.native_handle(), not_by_tls.data(), not_by_tls.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
}

void TlsStream::note_certificate() {
  const COwner<X509, X509_free> certificate(SSL_get1_peer_certificate(tls_.get()));
  if (certificate == nullptr || SSL_get_verify_result(tls_.get()) != X509_V_OK) return;
  peer_.certificate = std::make_shared<const ClientCertificate>(read_client_certificate(certificate.get()));
}

}  // namespace mcph
