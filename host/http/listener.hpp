// Listens at one place, and hands every connection on, or refuses it where there are too many. Owned by the server,
// which goes once no thread runs the event loops any more. Any thread may call it; it accepts on one event loop.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>

#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/io_context.hpp>

#include "base/local_socket.hpp"
#include "base/result.hpp"
#include "http/options.hpp"
#include "http/stream.hpp"
#include "runtime/coroutine.hpp"
#include "runtime/event_loops.hpp"
#include "telemetry/log.hpp"

namespace mcph {

class HttpListener {
 public:
  struct TooMany {
    std::string_view reason;
    std::size_t limit = 0;
  };
  // Takes the connection, or says why not. On the event loop of the listener, one at a time.
  using Take = std::function<std::optional<TooMany>(HttpSocket&, HttpPeer)>;

  // Accepts on this context. It, the threads, the limits and the log outlive this.
  HttpListener(boost::asio::io_context& context, EventLoops& threads, const HttpLimits& limits, Log& log);
  ~HttpListener();
  HttpListener(const HttpListener&) = delete;
  HttpListener& operator=(const HttpListener&) = delete;

  // One of these, once. Binds, so that clients that come early wait and nobody else has the port.
  Result<> listen(const HttpAddress& address, std::string_view option = {});
  // A Unix socket, to which this process's user and group may connect. Its file is removed at the end.
  Result<> listen(const std::filesystem::path& path);
  // At a socket that listens already, which becomes this object's. Whoever has passed it on goes on to listen there.
  Result<> inherit(int descriptor);

  // How a client learns that there are too many: in words of HTTP, or, where it would not understand these because TLS
  // comes first, from the closed connection.
  enum class WhenFull { tell, close };

  // Begins to accept. After listen.
  void serve(Take take, WhenFull when_full = WhenFull::tell);
  std::uint16_t port() const { return port_; }  // 0: that of a Unix socket
  bool is_local_socket() const { return port_ == 0; }
  // Accepts no more but those that wait to be accepted, unless others listen there, too. Returns once it is so, or
  // after a second where the event loop does not come to it. Not on an event loop.
  void shut_down();

 private:
  using Acceptor = boost::asio::basic_socket_acceptor<boost::asio::generic::stream_protocol>;

  Result<> adopt(int descriptor);
  Coroutine<> accept();
  // False: nobody is accepted any more.
  Coroutine<bool> accept_next();
  void accept_who_waits();
  void hand_over(HttpSocket socket, const boost::asio::generic::stream_protocol::endpoint& from);
  std::optional<TooMany> refusal_of(HttpSocket& socket, HttpPeer peer) const;
  void refuse(HttpSocket socket, const TooMany& why);
  Coroutine<> turn_away(std::shared_ptr<HttpSocket> socket);

  EventLoops& threads_;
  const HttpLimits& limits_;
  Log& log_;
  Acceptor acceptor_;
  std::filesystem::path path_;  // of the Unix socket that this has made; empty: there is none
  ListeningSocket at_path_;
  std::uint16_t port_ = 0;
  bool is_inherited_ = false;
  Take take_;  // null: it does not serve yet
  WhenFull when_full_ = WhenFull::tell;
  const int descriptors_;                 // that connections may use; the others are for workers, reloads, the operator
  std::atomic<unsigned> turned_away_{0};  // that are being told so, or are about to be
};

}  // namespace mcph
