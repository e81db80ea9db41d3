// The protocol's front: takes the text that a transport received, finds out which era it belongs to and to which
// session, and hands it on. Every text ends in exactly one reply on its exchange, an empty one where none is due.
// Made by main; any thread.
#pragma once

#include <atomic>
#include <memory>
#include <string_view>
#include <vector>

#include "catalog/published_catalog.hpp"
#include "protocol/envelope_reader.hpp"
#include "protocol/exchange.hpp"
#include "protocol/http_head.hpp"
#include "protocol/legacy/legacy_era.hpp"
#include "protocol/message.hpp"
#include "protocol/modern/modern_era.hpp"
#include "protocol/state/serving.hpp"
#include "protocol/state/session.hpp"
#include "runtime/timers.hpp"
#include "telemetry/rate_limited_log.hpp"

namespace mcph {

// What one stdio process remembers of its client: the legacy session, if it opened one, and the requests in flight of
// both eras. Used by one thread.
struct StdioClient {
  std::shared_ptr<NotificationStream> output = {};
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
  static constexpr std::size_t longest_batch = 32;

  Server(PublishedCatalog& catalog, const ServerIdentity& identity, ServingOptions options,
         Sessions::Limits session_limits, Log& log);

  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // The body of an HTTP POST.
  void receive_post(std::string_view body, const HttpHead& head, const std::shared_ptr<Exchange>& exchange);

  // A line of standard input.
  void receive_line(std::string_view line, StdioClient& client, const std::shared_ptr<Exchange>& exchange);

  // The answer to a message that is too long: an error that reaches its request. Where the client meant to answer a
  // question of a plugin, the call that waits for it ends at once.
  static Reply refuse_long(const LongMessage& message, const StdioClient& client);
  Reply refuse_long_post(const LongMessage& message, const HttpHead& head);

  // Standard input has ended: the client answers nothing any more.
  static void end_input(StdioClient& client);

  // A GET: the session whose notification stream it opens, or null and why not.
  struct StreamAdmission {
    std::shared_ptr<Session> session;
    Reply refusal;
  };
  StreamAdmission admit_stream(const HttpHead& head);

  // A DELETE.
  Reply end_session(const HttpHead& head);

  // The process is about to end: closes every subscription and session stream in the way their eras prescribe.
  void close_streams();

 private:
  void receive_legacy(Message message, const HttpHead& head, const std::shared_ptr<Exchange>& exchange);
  void receive_batch(Json batch, const HttpHead& head, const std::shared_ptr<Exchange>& exchange);
  void receive_batch_line(Json batch, StdioClient& client, const std::shared_ptr<Exchange>& exchange);
  void initialize(const Message& message, const std::shared_ptr<Exchange>& exchange);
  void initialize_stdio(const Message& message, StdioClient& client, const std::shared_ptr<Exchange>& exchange);
  void serve_batch(Json batch, const std::shared_ptr<Session>& session, const std::shared_ptr<Exchange>& exchange);
  void serve(Message message, const std::shared_ptr<Session>& session, const std::shared_ptr<Exchange>& exchange);

  // Why a client cancelled a request is said for whoever debugs it (basic/patterns/cancellation, "Implementation
  // Notes").
  void log_cancellation(const Message& notification);

  struct FoundSession {
    std::shared_ptr<Session> session;
    Reply refusal;
  };
  FoundSession find_session(std::string_view request_id, const HttpHead& head);

  PublishedCatalog& catalog_;
  Timers timers_;
  RateLimitedLog log_;  // of what clients cause
  Sessions sessions_;
  LegacyEra legacy_;
  ModernEra modern_;
  std::atomic<bool> closing_{false};
};

}  // namespace mcph
