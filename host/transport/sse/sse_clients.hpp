// Clients of the deprecated HTTP+SSE transport (2024-11-05, basic/transports, "HTTP with SSE"): whatever such a client
// hears comes on one stream, whatever it says by POST, and its session ends with the stream. Owned by the HTTP server;
// any thread.
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
class SseStream final : public NotificationStream {
 public:
  SseStream(std::weak_ptr<OutboxReader> reader, std::shared_ptr<MemoryBudget> budget)
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

class SseClient {
 public:
  SseClient(std::string id, Principal principal, std::weak_ptr<OutboxReader> reader,
            std::shared_ptr<MemoryBudget> budget);

  const std::string& id() const { return id_; }
  // By whose credential the stream has been opened.
  const Principal& principal() const { return opener_; }
  SseStream& stream() { return *stream_; }

  // The body of a POST that its principal, whose the client is, has sent. The HTTP answer to it: an error, or that it
  // was accepted; the answer itself goes to the stream.
  // `places` are kept until what the body asks for has been answered. `source` is the address that it comes from.
  Reply receive(std::string_view body, const RequestContext& context, Server& server,
                std::vector<std::shared_ptr<const void>> places = {}, std::string source = {});
  // The HTTP answer to one whose body is too long.
  Reply refuse(const LongMessage& message);

  // Closes the stream once it has nothing to wait for; the client is asked nothing any more.
  void shut_down();

  // Its stream is gone.
  void end();
  // Ends the calls that came with credentials that are good no longer; all that there is, if the stream came with one.
  void end_what_is_of(const IsGood& is_good);

 private:
  const std::string id_;
  const Principal opener_;
  const std::shared_ptr<SseStream> stream_;
  Mutex mutex_;
  DuplexClient client_ GUARDED_BY(mutex_);  // what is remembered of a client with one output
};

class SseClients {
 public:
  // As many as there are connections. The budget is of what is on its way to the client; null: there is room for all.
  // Null: the server is stopping.
  std::shared_ptr<SseClient> open(const Principal& principal, const std::weak_ptr<OutboxReader>& reader,
                                  const std::shared_ptr<MemoryBudget>& budget = nullptr);
  // Null if the principal has none of this id.
  std::shared_ptr<SseClient> find(const std::string& id, const Principal& principal) const;
  void close(SseClient& client);

  // Closes every stream once it has nothing to wait for.
  void shut_down();
  // Ends what came with credentials that are good no longer.
  void end_what_is_of(const IsGood& is_good);

 private:
  std::vector<std::shared_ptr<SseClient>> all() const;

  mutable Mutex mutex_;
  bool shutting_down_ GUARDED_BY(mutex_) = false;
  std::unordered_map<std::string, std::shared_ptr<SseClient>> clients_ GUARDED_BY(mutex_);
};

}  // namespace mcph
