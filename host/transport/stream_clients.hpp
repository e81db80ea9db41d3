// Clients that hear everything on one stream of HTTP: those of the deprecated HTTP+SSE transport (2024-11-05,
// basic/transports, "HTTP with SSE"), and those of WebSocket. What such a client has ends with its stream. Owned by
// what serves MCP over HTTP; any thread.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/mutex.hpp"
#include "protocol/exchange.hpp"
#include "protocol/notification_stream.hpp"
#include "protocol/server/server.hpp"
#include "transport/outbox.hpp"

namespace mcph {

// The stream, shared by its connection and by the requests whose answers it will carry.
class ClientStream final : public NotificationStream {
 public:
  ClientStream(std::weak_ptr<OutboxReader> reader, std::shared_ptr<MemoryBudget> budget)
      : outbox_(std::move(reader), std::move(budget)) {}
  Outbox& outbox() { return outbox_; }

  bool send(std::string message) override { return outbox_.put(std::move(message)); }
  void close() override { outbox_.end({}); }

  std::size_t answers_due() const { return answers_due_.load(); }
  void expect_answer() { answers_due_.fetch_add(1); }
  // Empty where none is due.
  void answer(std::string body);
  // Closes once there is no answer to wait for.
  void close_when_answered();

 private:
  Outbox outbox_;
  std::atomic<std::size_t> answers_due_{0};
  std::atomic<bool> closing_{false};
};

// A request whose answer goes to the stream.
class StreamExchange : public Exchange {
 public:
  explicit StreamExchange(std::shared_ptr<ClientStream> stream) : stream_(std::move(stream)) {
    stream_->expect_answer();
  }

 protected:
  void finish(Reply reply) override { stream_->answer(std::move(reply.body)); }

 private:
  void send(std::string message) override { stream_->send(std::move(message)); }
  void send_if_room(std::string message) override { stream_->outbox().put_if_room(std::move(message)); }

  const std::shared_ptr<ClientStream> stream_;
};

class StreamClient {
 public:
  // That its transport has.
  enum class Eras { both, legacy };

  StreamClient(std::string id, Eras eras, Principal principal, std::weak_ptr<OutboxReader> reader,
               std::shared_ptr<MemoryBudget> budget);

  const std::string& id() const { return id_; }
  // By whose credential the stream has been opened.
  const Principal& principal() const { return opener_; }
  ClientStream& stream() { return *stream_; }
  const std::shared_ptr<ClientStream>& shared_stream() const { return stream_; }

  // A message that its principal, whose the client is, has sent. Refused once its stream is gone.
  void receive(std::string_view text, const RequestContext& context, Server& server,
               const std::shared_ptr<Exchange>& exchange);
  // The answer to one that is too long.
  Reply refuse(const LongMessage& message);
  // Its answer to the request of this id cannot be taken (PendingInputRequests::refuse_answer).
  void refuse_answer(const std::string& id, const std::string& why);

  // Closes the stream once it has nothing to wait for; the client is asked nothing any more.
  void shut_down();

  // Its stream is gone. What it has in flight is cancelled, because nobody could ever hear an answer.
  void end();
  // Ends the calls that came with credentials that are good no longer; all that there is, if the stream came with one.
  void end_what_is_of(const IsGood& is_good);

 private:
  const std::string id_;
  const Principal opener_;
  const std::shared_ptr<ClientStream> stream_;
  Mutex mutex_;
  DuplexClient client_ GUARDED_BY(mutex_);  // what is remembered of a client with one output
  bool has_ended_ GUARDED_BY(mutex_) = false;
};

class StreamClients {
 public:
  explicit StreamClients(StreamClient::Eras eras) : eras_(eras) {}

  // As many as there are connections. The budget is of what is on its way to the client; null: there is room for all.
  // Null: the server is stopping.
  std::shared_ptr<StreamClient> open(const Principal& principal, const std::weak_ptr<OutboxReader>& reader,
                                     const std::shared_ptr<MemoryBudget>& budget = nullptr);
  // Null if the principal has none of this id.
  std::shared_ptr<StreamClient> find(const std::string& id, const Principal& principal) const;
  void close(StreamClient& client);

  // Closes every stream once it has nothing to wait for.
  void shut_down();
  // Ends what came with credentials that are good no longer.
  void end_what_is_of(const IsGood& is_good);

 private:
  std::vector<std::shared_ptr<StreamClient>> all() const;

  const StreamClient::Eras eras_;
  mutable Mutex mutex_;
  bool shutting_down_ GUARDED_BY(mutex_) = false;
  std::unordered_map<std::string, std::shared_ptr<StreamClient>> clients_ GUARDED_BY(mutex_);
};

}  // namespace mcph
