// The protocol's front: takes the text that a transport received, finds out which era it belongs to and to which
// session, and hands it on. Every text ends in exactly one reply on its exchange, an empty one where none is due.
// Owned by what serves it, with its transport; any thread. One function a thing that a transport can tell it or ask of
// it.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string_view>
#include <variant>

#include "catalog/published_catalog.hpp"
#include "protocol/envelope_reader.hpp"
#include "protocol/exchange.hpp"
#include "protocol/legacy/legacy_era.hpp"
#include "protocol/message.hpp"
#include "protocol/modern/modern_era.hpp"
#include "protocol/request_context.hpp"
#include "protocol/request_record.hpp"
#include "protocol/server/batch.hpp"
#include "protocol/server_identity.hpp"
#include "protocol/state/serving.hpp"
#include "protocol/state/session.hpp"
#include "runtime/memory_budget.hpp"
#include "runtime/timers.hpp"
#include "telemetry/rate_limited_log.hpp"

namespace mcph {

// What is remembered of a client that hears everything on one output, such as stdio: its legacy session, if it opened
// one, and the requests in flight of both eras. Used by one thread at a time.
struct DuplexClient {
  std::shared_ptr<NotificationStream> output = {};
  Principal reader = anonymous;  // by whose credential the output has been opened
  std::shared_ptr<Session> session = {};
  std::shared_ptr<RequestsInFlight> modern_requests = std::make_shared<RequestsInFlight>();
  bool takes_requests = true;  // false: as many are in flight as may be; notifications still count
  bool may_be_modern = true;   // false: its transport belongs to the legacy era
};

// A message that is longer than its transport takes, and has not been kept.
struct LongMessage {
  Envelope envelope;
  std::size_t limit = 0;         // in bytes
  std::string_view option = {};  // of the command line, which sets it

  // "is longer than the 4194304 bytes that --max-body-bytes allows"
  std::string words() const;
};

class Server {
 public:
  static constexpr std::size_t max_batch = 32;

  // The log, whoever observes calls and whoever keeps records of requests outlive it, and what it has begun; null:
  // nobody does.
  Server(PublishedCatalog& catalog, const ServerIdentity& identity, const ServingOptions& options,
         Sessions::Limits session_limits, Log& log, CallObserver* observer = nullptr,
         RequestRecords* records = nullptr);

  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // What a text says: a message, an array of messages, or neither.
  struct NoMessage {
    Reply reply;
    bool is_notification = false;  // what was meant to be one
    Envelope envelope = {};        // of no usable JSON, as far as it can be told, or of a response that is none
    std::string why = {};          // it is none
  };
  struct Text {
    JsonDocument document;
    std::variant<Message, JsonValue, NoMessage> content;
  };
  // The text outlives what is read.
  static Text read(std::string_view text);

  // A message of a client that has such an output.
  void receive(std::string_view text, DuplexClient& client, const RequestContext& context,
               const std::shared_ptr<Exchange>& exchange);
  // Its input has ended: the client answers nothing any more.
  static void end_input(DuplexClient& client);

  // The messages of clients that hear each answer where they have asked, as on HTTP. The transport says to which
  // session one belongs.
  void receive_modern(const Message& message, const RequestContext& context, const std::shared_ptr<Exchange>& exchange);
  void initialize(const Message& message, const Principal& principal, const std::shared_ptr<Exchange>& exchange);
  void receive_legacy(const Message& message, const std::shared_ptr<Session>& session, const RequestContext& context,
                      const std::shared_ptr<Exchange>& exchange);
  // Where there is a refusal, each request of the batch is answered with that.
  void receive_batch(JsonValue batch, const std::shared_ptr<Session>& session, const RequestContext& context,
                     const std::shared_ptr<Exchange>& exchange, const std::optional<RpcError>& refusal = {});
  // The answer to a batch where there is none.
  static Reply refuse_batch();
  // Null if the principal has none of this id. Counts as use.
  std::shared_ptr<Session> find_session(std::string_view id, const Principal& principal);
  void end_session(const Session& session);

  // The answer to a message that is too long: an error that reaches its request. Where the client meant to answer a
  // input request of a plugin, the call of its session, null if it has none, that waits for it ends at once.
  static Reply refuse_long(const LongMessage& message, const Session* session);
  // What is told of a text that says nothing. A response that nobody can read ends what waits for it.
  static Reply refuse_unread(NoMessage message, const Session* session);

  // Whether both have the same view of what is served.
  bool see_the_same(const Principal& a, const Principal& b) const { return catalog_.same_view(a, b); }

  // Closes the subscriptions and session streams of those whose credentials are good no longer, in the way their eras
  // prescribe.
  void close_streams_of(const IsGood& is_good);

  // What there is at this moment.
  struct Figures {
    std::size_t sessions = 0;       // of HTTP, of the legacy era
    std::size_t subscriptions = 0;  // of the modern one
    std::size_t tasks = 0;
  };
  Figures figures();

  // close_streams has been called.
  bool is_closing() const { return closing_.load(); }

  // The process is about to end: closes every subscription and session stream in the way their eras prescribe.
  void close_streams();

 private:
  void receive_batch(JsonValue batch, DuplexClient& client, const RequestContext& context,
                     const std::shared_ptr<Exchange>& exchange);
  void initialize(const Message& message, DuplexClient& client, const Principal& principal,
                  const std::shared_ptr<Exchange>& exchange);

  // Begins the record of a request. False: nothing may be done that is not recorded, and the request has been answered.
  bool record(const Message& message, const Principal& principal, const Session* session, Exchange& exchange) const;

  // Why a client cancelled a request is said for whoever debugs it (basic/patterns/cancellation, "Implementation
  // Notes").
  void log_cancellation(const Message& notification);

  // Counts a request that its transport has not counted. False: it is one too many, and has been answered.
  bool count(const Message& request, const RequestContext& context, Exchange& exchange) const;

  void observe(const Message& request, const Principal& principal, Exchange& exchange);
  // Lets others know of the request. False: it must not begin, and has been answered.
  bool admit(const Message& request, const Principal& principal, const Session* session, Exchange& exchange);
  // The same of the legacy era, with check_meta; the modern one does that among its own checks.
  bool admit_legacy(const Message& request, const Principal& principal, const Session* session, Exchange& exchange);

  PublishedCatalog& catalog_;
  CallObserver* const observer_;
  Timers timers_;
  RateLimitedLog log_;  // of what clients cause
  RequestRecords* const records_;
  const std::shared_ptr<MemoryBudget> batch_answers_ = std::make_shared<MemoryBudget>(Batch::max_gathered);
  Sessions sessions_;
  LegacyEra legacy_;
  ModernEra modern_;
  std::atomic<bool> closing_{false};
};

}  // namespace mcph
