// Wakes a connection of HTTP for what has come to an outbox. Held by whoever writes what is in it; without the reader
// the outbox has none. On the event loop of the connection, but for what it is told as a reader of outboxes.
#pragma once

#include <memory>

#include "http/connection.hpp"
#include "transport/outbox.hpp"

namespace mcph {

class ConnectionReader final : public OutboxReader, public std::enable_shared_from_this<ConnectionReader> {
 public:
  explicit ConnectionReader(std::shared_ptr<HttpConnection> connection) : connection_(std::move(connection)) {}

  // Null: nothing is written.
  void set_streamed(const Outbox* outbox) { streamed_ = outbox; }
  // It has left what others could ask it to leave: from now on the connection is not cut off for that.
  void leave() { has_left_ = true; }

  void outbox_filled() override { connection_->wake(); }
  void outbox_overflowed() override;
  void asked_to_leave() override;

 private:
  const std::shared_ptr<HttpConnection> connection_;
  const Outbox* streamed_ = nullptr;
  bool has_left_ = false;
};

// Ends a connection whose client has left too much unread.
void cut_off(HttpConnection& connection, Outbox::Overflow overflow);

}  // namespace mcph
