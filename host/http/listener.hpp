// Listens on one address, and hands every connection on, or tells the client that there are too many. Made by the
// server, which outlives its threads; any thread.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>

#include "base/result.hpp"
#include "http/options.hpp"
#include "runtime/event_loops.hpp"
#include "telemetry/log.hpp"

namespace mcph {

class HttpListener {
 public:
  using Socket = boost::asio::ip::tcp::socket;
  struct TooMany {
    std::string_view reason;
    std::size_t limit = 0;
  };
  // Takes the connection, or says why not. On the event loop of the listener, one at a time.
  using Take = std::function<std::optional<TooMany>(Socket&)>;

  // The threads, the options and the log outlive it.
  HttpListener(EventLoops& threads, const HttpOptions& options, Log& log);

  // Binds, so that clients that come early wait and nobody else has the port.
  Result<> listen();
  // Begins to accept. After listen.
  void serve(Take take);
  std::uint16_t port() const { return port_; }
  // Accepts no more.
  void shut_down();

  // On which it accepts.
  boost::asio::any_io_executor executor() { return acceptor_.get_executor(); }

 private:
  boost::asio::awaitable<void> accept(Take take);
  std::optional<TooMany> refusal_of(Socket& socket, const Take& take) const;
  void refuse(Socket socket, const TooMany& why);
  boost::asio::awaitable<void> turn_away(std::shared_ptr<Socket> socket);

  EventLoops& threads_;
  const HttpOptions& options_;
  Log& log_;
  boost::asio::ip::tcp::acceptor acceptor_;
  std::uint16_t port_ = 0;
  const int descriptors_;                 // that connections may use; the others are for workers, reloads, the operator
  std::atomic<unsigned> turned_away_{0};  // that are being told so, or are about to be
};

}  // namespace mcph
