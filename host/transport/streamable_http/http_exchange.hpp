// What the protocol writes to where the answer is an HTTP response or stream: outboxes, which a connection empties.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "protocol/exchange.hpp"
#include "protocol/notification_stream.hpp"
#include "transport/outbox.hpp"

namespace mcph {

// A request whose answer travels on the connection that brought it.
class HttpExchange final : public Exchange {
 public:
  HttpExchange(std::weak_ptr<OutboxReader> reader, std::shared_ptr<MemoryBudget> budget, Arrival arrival = {})
      : Exchange(std::move(arrival)), outbox_(std::move(reader), std::move(budget)) {}
  Outbox& outbox() { return outbox_; }

 private:
  void send(std::string message) override { outbox_.put(std::move(message)); }
  void send_if_room(std::string message) override { outbox_.put_if_room(std::move(message)); }
  void finish(Reply reply) override { outbox_.end(std::move(reply)); }
  bool has_reader() const override { return outbox_.has_reader(); }

  Outbox outbox_;
};

// A legacy GET stream.
class HttpNotificationStream final : public NotificationStream {
 public:
  HttpNotificationStream(std::weak_ptr<OutboxReader> reader, std::shared_ptr<MemoryBudget> budget)
      : outbox_(std::move(reader), std::move(budget)) {}
  Outbox& outbox() { return outbox_; }

  bool send(std::string message) override { return outbox_.put(std::move(message)); }
  void close() override { outbox_.end({}); }

 private:
  Outbox outbox_;
};

}  // namespace mcph
