// The bytes of a connection that has become WebSocket, as Beast reads and writes them (Boost.Beast, AsyncStream), and
// until when something must have happened there. Owned by the WebSocket, which its connection owns; on its event loop.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <functional>
#include <new>
#include <string>
#include <utility>

#include <boost/asio/async_result.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>
#include <boost/beast/core/bind_handler.hpp>
#include <boost/beast/core/role.hpp>

#include "http/connection.hpp"
#include "runtime/coroutine.hpp"

namespace mcph {

// Times at which a connection is to be looked at.
class WebSocketTimes {
 public:
  using Time = HttpConnection::Clock::time_point;

  // The connection outlives it.
  explicit WebSocketTimes(HttpConnection& connection) : connection_(connection), heard_(connection.now()) {}

  enum class What { ping, message, write, close };

  void set(What what, std::chrono::milliseconds patience) { put(what, connection_.now() + patience); }
  void clear(What what) { put(what, Time::max()); }
  bool is_over(What what, Time now) const { return due_[static_cast<std::size_t>(what)] <= now; }

  // The client has sent something, or has taken something.
  void note_life() { heard_ = connection_.now(); }
  Time heard() const { return heard_; }

 private:
  void put(What what, Time time) {
    due_[static_cast<std::size_t>(what)] = time;
    connection_.attend_at(std::ranges::min(due_));
  }

  HttpConnection& connection_;
  Time due_[4] = {Time::max(), Time::max(), Time::max(), Time::max()};
  Time heard_;
};

class WebSocketBytes {
 public:
  using executor_type = boost::asio::any_io_executor;
  using Error = boost::system::error_code;

  // Both outlive it.
  WebSocketBytes(HttpConnection& connection, WebSocketTimes& times) : connection_(connection), times_(times) {}

  executor_type get_executor() { return connection_.executor(); }

  template <class Buffers, class Token>
  auto async_read_some(const Buffers& buffers, Token&& token) {
    auto initiate = [this](auto handler, boost::asio::mutable_buffer bytes) {
      transfer(connection_.read_some(bytes), std::move(handler), [this](std::size_t) { times_.note_life(); });
    };
    return boost::asio::async_initiate<Token, void(Error, std::size_t)>(std::move(initiate), token,
                                                                        first_of<boost::asio::mutable_buffer>(buffers));
  }

  template <class Buffers, class Token>
  auto async_write_some(const Buffers& buffers, Token&& token) {
    auto initiate = [this](auto handler, boost::asio::const_buffer bytes) {
      times_.set(WebSocketTimes::What::write, connection_.limits().write_time);
      transfer(connection_.write_some(bytes), std::move(handler), [this](std::size_t count) {
        // Of little nobody knows whether the client has taken it. TLS writes no more than a record at once.
        written_ += count;
        if (written_ >= HttpConnection::max_copied) {
          written_ = 0;
          times_.note_life();
        }
        times_.clear(WebSocketTimes::What::write);
        std::string().swap(gathered_);
      });
    };
    return boost::asio::async_initiate<Token, void(Error, std::size_t)>(std::move(initiate), token, gather(buffers));
  }

  void abort() { connection_.abort(); }

 private:
  template <class Buffer, class Buffers>
  static Buffer first_of(const Buffers& buffers) {
    const auto end = boost::asio::buffer_sequence_end(buffers);
    for (auto each = boost::asio::buffer_sequence_begin(buffers); each != end; ++each) {
      if (const Buffer buffer(*each); buffer.size() > 0) return buffer;
    }
    return {};
  }

  // What is written next of them.
  template <class Buffers>
  boost::asio::const_buffer gather(const Buffers& buffers) {
    constexpr std::size_t long_head = 1024;
    const auto first = first_of<boost::asio::const_buffer>(buffers);
    if (first.size() >= long_head || first.size() == boost::asio::buffer_size(buffers))
      return boost::asio::buffer(first, HttpConnection::max_write);
    gathered_.resize(std::min(boost::asio::buffer_size(buffers), HttpConnection::max_copied));
    boost::asio::buffer_copy(boost::asio::buffer(gathered_), buffers);
    return boost::asio::buffer(gathered_);
  }

  // Both the bytes and what they are told to belong to the connection, which lives until then.
  template <class Handler, class Then>
  void transfer(Coroutine<HttpStream::Transferred> bytes, Handler handler, Then then) {
    spawn(connection_.executor(), pass_on(std::move(bytes), std::move(handler), then), connection_.shared_from_this());
  }
  template <class Handler, class Then>
  static Coroutine<> pass_on(Coroutine<HttpStream::Transferred> bytes, Handler handler, Then then) {
    HttpStream::Transferred transferred(boost::asio::error::no_memory, 0);
    try {
      // clang-tidy takes the awaiter, which this makes, for the coroutine itself.
      transferred = co_await std::move(bytes);  // NOLINT(bugprone-use-after-move)
    } catch (const std::bad_alloc&) {
      // Beast has to hear that it has failed, because with the handler all that waits for it would go.
    }
    const auto [error, count] = transferred;
    then(count);
    std::move(handler)(error, count);
  }

  HttpConnection& connection_;
  WebSocketTimes& times_;
  std::size_t written_ = 0;  // since that was a sign of life
  std::string gathered_;
};

// Beast asks for these by their names. Both have been dealt with when the connection ends.
template <class Handler>
void async_teardown(boost::beast::role_type /*role*/, WebSocketBytes& bytes, Handler&& handler) {
  boost::asio::post(bytes.get_executor(),
                    boost::beast::bind_front_handler(std::forward<Handler>(handler), WebSocketBytes::Error()));
}
inline void teardown(boost::beast::role_type /*role*/, WebSocketBytes& /*bytes*/, WebSocketBytes::Error& error) {
  error = {};
}
inline void beast_close_socket(WebSocketBytes& bytes) {
  bytes.abort();
}

}  // namespace mcph
