// A response that is an event stream: what comes to an outbox is written as events until there is no more, and kept for
// a client that comes back. One for each such response, or for what may become one; on the event loop of its
// connection.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http/connection.hpp"
#include "protocol/state/session.hpp"
#include "runtime/coroutine.hpp"
#include "runtime/memory_budget.hpp"
#include "transport/http/connection_reader.hpp"
#include "transport/outbox.hpp"
#include "transport/streamable_http/event_log.hpp"
#include "transport/streamable_http/http_exchange.hpp"

namespace mcph {

class EventStreamResponse {
 public:
  // The connection outlives it. Where there is a stream time, it bounds what is kept.
  EventStreamResponse(HttpConnection& connection, std::chrono::milliseconds stream_time);
  // Where something has been thrown the stream is still to be let go.
  ~EventStreamResponse();
  EventStreamResponse(const EventStreamResponse&) = delete;
  EventStreamResponse& operator=(const EventStreamResponse&) = delete;

  const std::shared_ptr<ConnectionReader>& reader() const { return reader_; }

  // Until the connection that carries the stream has left it; or its client is gone, another one has asked for the
  // stream since, or it takes too long.
  Coroutine<> wait_for(const EventStream& stream);
  // From now on the client is to come back after the stream time, if it is of a revision that does.
  void poll();
  // What is written is kept in the session's stream. `last` is the event behind which the connection goes on.
  void keep(const Session& session, std::shared_ptr<EventStream> stream, const EventId& last);
  // Nothing is kept, and so the client cannot come back either.
  void keep_nothing() { until_.reset(); }
  // False: there is no memory for what was missed.
  bool append_missed(const std::vector<Event>& missed);
  void append_endpoint(std::string_view uri);
  // The stream listens: what comes to it after its end is told elsewhere.
  void listen(HttpNotificationStream& notifications) { notifications_ = &notifications; }

  // What there is in the outbox. Nothing where the client is gone: what is taken must be written or kept.
  Outbox::Content take(Outbox& outbox) const { return is_gone() ? Outbox::Content{} : outbox.take(); }
  // What is next in the outbox; empty when the client should see a sign of life or is gone, or it is late.
  Coroutine<Outbox::Content> next(Outbox& outbox);
  // Writes what is in the outbox until it ends. False: the client is gone or too slow, and the connection is at its
  // end.
  Coroutine<bool> write(Outbox& outbox, Outbox::Content content);
  // The connection carries the stream no more. Nothing the second time.
  void let_go();

 private:
  Coroutine<bool> write_events(Outbox& outbox, Outbox::Content& content);
  void compose(std::string& text, std::string& events, Outbox::Content& content) const;
  void append_next(std::string& events, std::string message) const;
  void release(EventStream& kept);
  bool is_gone() const { return connection_.is_disconnected() || connection_.is_cut_off(); }
  bool is_late() const { return until_ && connection_.now() >= *until_; }

  HttpConnection& connection_;
  const std::chrono::milliseconds stream_time_;
  const std::shared_ptr<ConnectionReader> reader_;
  std::string opening_;                                         // the events before those of the outbox
  MemoryBudget::Share share_;                                   // that they have
  std::shared_ptr<EventStream> kept_;                           // null: what the client has missed is lost
  HttpNotificationStream* notifications_ = nullptr;             // of a stream that listens
  std::optional<std::chrono::steady_clock::time_point> until_;  // then the connection leaves the stream to be resumed
};

}  // namespace mcph
