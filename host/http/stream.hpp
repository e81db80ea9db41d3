// What a connection reads from and writes to: a socket, or whatever else carries bytes both ways in order, such as TLS.
// On one event loop.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <tuple>
#include <utility>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/system/error_code.hpp>

#include "base/result.hpp"
#include "http/peer.hpp"
#include "runtime/as_value.hpp"
#include "runtime/coroutine.hpp"

namespace mcph {

// Of TCP, or of a Unix socket.
using HttpSocket = boost::asio::generic::stream_protocol::socket;

// As much as the socket takes now.
std::tuple<boost::system::error_code, std::size_t> send_now(HttpSocket& socket, boost::asio::const_buffer bytes);
// Whether reading it ends at once, with an error or with the end.
bool at_end(HttpSocket& socket);

class HttpStream {
 public:
  // How many bytes there were. An error, which may be the end of the input, comes without bytes.
  using Transferred = std::tuple<boost::system::error_code, std::size_t>;

  virtual ~HttpStream() = default;

  // Of the event loop.
  virtual boost::asio::any_io_executor executor() = 0;

  // What comes before the first byte of HTTP: nothing, or a handshake, which `cancel` ends. Once. An error's message is
  // for the log, empty where nothing has come that would be worth a line; the client has been told, and all that is
  // left to do is what follows an answer.
  virtual Coroutine<Result<>> open() = 0;

  // At most one read and one write at a time. The stream and the bytes outlive them.
  virtual Coroutine<Transferred> read_some(boost::asio::mutable_buffer bytes) = 0;
  virtual Coroutine<Transferred> write_some(boost::asio::const_buffer bytes) = 0;
  // As much as can be written without waiting, and without others of the event loop waiting for long; would_block:
  // nothing can. Not while something is being written.
  virtual Transferred write_now(boost::asio::const_buffer bytes) = 0;
  // Whether the other side is known to have ended, or failed, where nothing of it waits to be read.
  virtual bool is_at_end() = 0;
  // What is being read or written ends with operation_aborted, unless it has ended already.
  virtual void cancel() = 0;

  // Nothing more is written: the client reads the end of the input, and knows that nothing was cut off.
  virtual Coroutine<> end_sending() = 0;
  // Nor read: what is being read or written fails, and so does what would follow. Without end_sending before it, the
  // client may learn that something was cut off.
  virtual void shut_down() = 0;
  virtual void close() = 0;

  // Once it is open.
  const HttpPeer& peer() const { return peer_; }

 protected:
  explicit HttpStream(HttpPeer peer) : peer_(std::move(peer)) {}

  HttpPeer peer_;
};

// Makes the stream of a connection that has been accepted.
using MakeHttpStream = std::function<std::unique_ptr<HttpStream>(HttpSocket socket, HttpPeer peer)>;

class PlainStream final : public HttpStream {
 public:
  PlainStream(HttpSocket socket, HttpPeer peer) : HttpStream(std::move(peer)), socket_(std::move(socket)) {}

  static std::unique_ptr<HttpStream> make(HttpSocket socket, HttpPeer peer) {
    return std::make_unique<PlainStream>(std::move(socket), std::move(peer));
  }

  boost::asio::any_io_executor executor() override { return socket_.get_executor(); }
  Coroutine<Result<>> open() override { co_return Result<>(); }
  Coroutine<Transferred> read_some(boost::asio::mutable_buffer bytes) override {
    co_return co_await socket_.async_read_some(bytes, as_value);
  }
  Coroutine<Transferred> write_some(boost::asio::const_buffer bytes) override {
    co_return co_await socket_.async_write_some(bytes, as_value);
  }
  Transferred write_now(boost::asio::const_buffer bytes) override { return send_now(socket_, bytes); }
  bool is_at_end() override { return at_end(socket_); }
  void cancel() override { socket_.cancel(ignored_); }
  Coroutine<> end_sending() override {
    socket_.shutdown(HttpSocket::shutdown_send, ignored_);
    co_return;
  }
  void shut_down() override { socket_.shutdown(HttpSocket::shutdown_both, ignored_); }
  void close() override { socket_.close(ignored_); }

 private:
  HttpSocket socket_;
  boost::system::error_code ignored_;  // the client may have gone
};

}  // namespace mcph
