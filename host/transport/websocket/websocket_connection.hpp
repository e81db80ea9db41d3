// A client over WebSocket (RFC 6455), from the answer to its request on: each of its messages is one text message, and
// so is each answer. It is what a client over stdio is: one stream each way, for both eras. A client that reads slowly
// is waited for: while too much is on its way to it nothing more is read, neither requests nor cancellations.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "http/connection.hpp"
#include "limits/limits.hpp"
#include "transport/stream_clients.hpp"

namespace mcph {

struct WebSocketServing {
  std::shared_ptr<StreamClient> client;
  Server& server;  // which outlives it
  // The principal whose it is, with the roles of now, which may have changed since the last message.
  std::function<Principal(const Principal& principal)> renew;
  // Those of who sends a message now; nothing: there are none.
  std::function<std::optional<SenderLimits>(const Principal& principal)> limits;
  std::string source = {};      // the address that it comes from; empty: nobody asks
  std::function<void()> close;  // its connection is gone
};

// To be given to the connection. The request has been checked; the connection outlives what is made.
std::unique_ptr<UpgradedProtocol> make_websocket(HttpConnection& connection, const HttpRequest& request,
                                                 WebSocketServing serving);

}  // namespace mcph
