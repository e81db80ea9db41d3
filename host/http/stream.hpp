// What a connection reads from and writes to: a TCP socket, or whatever else carries bytes both ways in order, such as
// TLS. Used on one event loop, but for nothing.
#pragma once

#include <cstddef>
#include <string>
#include <tuple>
#include <utility>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/system/error_code.hpp>

#include "runtime/as_value.hpp"

namespace mcph {

class HttpStream {
 public:
  // How many bytes there were. An error, which may be the end of the input, comes without bytes.
  using Transferred = std::tuple<boost::system::error_code, std::size_t>;

  virtual ~HttpStream() = default;

  // Of the event loop.
  virtual boost::asio::any_io_executor executor() = 0;

  // Where the other end is; unspecified, 0.0.0.0, where that is no place of a network.
  virtual boost::asio::ip::address peer() const = 0;

  // At most one read and one write at a time. The stream and the bytes outlive them.
  virtual boost::asio::awaitable<Transferred> read_some(boost::asio::mutable_buffer bytes) = 0;
  virtual boost::asio::awaitable<Transferred> write_some(boost::asio::const_buffer bytes) = 0;
  // What is being read or written ends with operation_aborted, unless it has ended already.
  virtual void cancel() = 0;

  // Nothing more is written: the client reads the end of the input.
  virtual void shut_down_sending() = 0;
  // Nor read: what is being read or written fails, and so does what would follow.
  virtual void shut_down() = 0;
  virtual void close() = 0;
};

class TcpStream final : public HttpStream {
 public:
  explicit TcpStream(boost::asio::ip::tcp::socket socket) : socket_(std::move(socket)) {}

  boost::asio::any_io_executor executor() override { return socket_.get_executor(); }
  boost::asio::ip::address peer() const override {
    boost::system::error_code gone;
    return socket_.remote_endpoint(gone).address();
  }
  boost::asio::awaitable<Transferred> read_some(boost::asio::mutable_buffer bytes) override {
    return socket_.async_read_some(bytes, as_value);
  }
  boost::asio::awaitable<Transferred> write_some(boost::asio::const_buffer bytes) override {
    return socket_.async_write_some(bytes, as_value);
  }
  void cancel() override { socket_.cancel(ignored_); }
  void shut_down_sending() override { socket_.shutdown(boost::asio::ip::tcp::socket::shutdown_send, ignored_); }
  void shut_down() override { socket_.shutdown(boost::asio::ip::tcp::socket::shutdown_both, ignored_); }
  void close() override { socket_.close(ignored_); }

 private:
  boost::asio::ip::tcp::socket socket_;
  boost::system::error_code ignored_;  // the client may have gone
};

}  // namespace mcph
