// One HTTP connection: a coroutine that reads a request, has it answered, writes the answer, and begins again. It runs
// on one lane of the serving threads, where one thread at a time runs it, so that it needs no lock. Keeps itself alive
// until the connection is closed; attend and shut_down may be called from any thread.
//
// It has no timer of its own: it says when it wants attention, and the server, which looks at all its connections a few
// times a second, gives it. That saves each request several system calls.
//
// What a coroutine here hands to another one is a named value, never a temporary inside the co_await expression, and
// co_await is never an operand of && or ||: gcc 12 compiles those wrongly.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>

#include "transport/outbox.hpp"
#include "transport/streamable_http/event_log.hpp"
#include "transport/streamable_http/http_fields.hpp"
#include "transport/streamable_http/http_request.hpp"
#include "transport/streamable_http/http_response.hpp"
#include "transport/streamable_http/http_server.hpp"

namespace mcph {

class HttpNotificationStream;

class HttpConnection final : public OutboxReader, public std::enable_shared_from_this<HttpConnection> {
 public:
  using Clock = std::chrono::steady_clock;

  HttpConnection(boost::asio::ip::tcp::socket socket, HttpServer& owner);
  ~HttpConnection();
  HttpConnection(const HttpConnection&) = delete;
  HttpConnection& operator=(const HttpConnection&) = delete;

  void start();

  // [any] The time is `now`: does what is due by then.
  void attend(Clock::time_point now);

  // [any] Ends the connection after the answer it is busy with, at once if there is none.
  void shut_down();

  // [any] From when on the connection is ended if others need the memory of the large request that its client is slow
  // to send, or of the large answer that it is slow to read; the end of time where there is neither.
  Clock::time_point yields_at() const;
  // [any] Ends it, unless that request or answer, whose time this was, is over by now.
  void give_way(Clock::time_point yields_at);

 private:
  template <class T>
  using awaitable = boost::asio::awaitable<T>;

  static constexpr Clock::rep never = Clock::time_point::max().time_since_epoch().count();

  // What the coroutine waits for, and so what it means when its time is up.
  enum class Waiting { for_request, for_rest, for_room, for_answer, for_bytes };

  // Whether a read waits for the end of the input while an answer is made. Such a read may have ended before it can be
  // cancelled: its handler looks here for whether another one begins.
  enum class Watching { off, on, stopping };

  // How an event stream is written.
  struct EventStreamPlan {
    std::string opening = {};                         // the events before those of the outbox
    MemoryBudget::Share share = {};                   // that they have
    std::shared_ptr<EventStream> kept = nullptr;      // null: what the client has missed is lost
    HttpNotificationStream* notifications = nullptr;  // of a stream that listens
    std::optional<Clock::time_point> until = {};      // then the connection leaves the stream to be resumed
  };

  static awaitable<void> serve(std::shared_ptr<HttpConnection> self);
  awaitable<void> linger();
  // The functions below return whether the connection can take another request.
  awaitable<bool> serve_request();
  awaitable<bool> read_request(HttpRequestReader& reader);
  // Whether there is memory for what has come of the body, which may take a while.
  awaitable<bool> has_room_for(const HttpRequestReader& reader);
  HttpResponse memory_refusal(std::string_view what) const;
  awaitable<bool> refuse_unread(HttpResponse response);
  awaitable<bool> answer(HttpRequestReader& reader);
  // Nobody reads it.
  void drop_body(HttpRequestReader& reader);
  awaitable<bool> answer_post(HttpRequestReader& reader, const HttpFields& fields, const HttpClient& client);
  awaitable<bool> answer_get(const HttpFields& fields, const HttpClient& client);
  awaitable<bool> answer_sse(const HttpFields& fields, const HttpClient& client);
  awaitable<bool> resume_response(const HttpClient& client, std::shared_ptr<Outbox> outbox, EventStreamPlan plan);
  awaitable<bool> listen(const HttpClient& client, HttpNotificationStream& notifications, EventStreamPlan plan);
  awaitable<bool> respond(HttpClient client, HttpResponse response);
  // Writes what is in the outbox until it ends. False: the client is gone or too slow. A stream may live for as long as
  // its client likes, so from then on the request has no share of the budget.
  awaitable<bool> stream(const HttpClient& client, Outbox& outbox, Outbox::Content content, EventStreamPlan& plan);
  awaitable<bool> write_events(const HttpClient& client, Outbox& outbox, Outbox::Content content,
                               EventStreamPlan& plan);
  awaitable<bool> write(std::string_view text);

  // Has the work on a message of so many bytes done where the other connections of the lane do not wait for it, and
  // goes on on the lane when it is done. `work` lives until then.
  awaitable<void> work_on(std::size_t bytes, const std::function<void()>& work);

  // The share of the budget is used for what its client is slow to send or to read, for so long without complaint.
  void begin_holding(const MemoryBudget::Share& share, std::chrono::milliseconds patience);
  void end_holding();
  // Whatever is being written. `closed` is what is closed thereby, as the log calls it.
  void cut_off(std::string_view closed, std::string_view reason);
  void cut_off_stream(Outbox::Overflow overflow);
  void warn(std::string_view closed, std::string_view reason) const;

  HttpResponse end_session(const HttpFields& fields);
  // A request whose body is too long.
  HttpResponse refuse_long(const HttpRequest& request, const HttpFields& fields, const HttpRoute& route);
  // Of the deprecated transport; null if the query names none of the principal's.
  std::shared_ptr<SseClient> sse_client(std::string_view query, const Principal& principal) const;
  HttpResponse take_message(const HttpRequest& request, const HttpFields& fields, std::string_view query);
  void keep_response(EventStreamPlan& plan, const HttpHead& head, std::shared_ptr<Outbox> outbox);
  // `last` is the event behind which the connection goes on.
  void keep(EventStreamPlan& plan, const Session& session, std::shared_ptr<EventStream> stream,
            const EventId& last) const;
  // The connection carries the stream no more. Nothing the second time.
  static void let_go(EventStreamPlan& plan);
  EventLog::Resumption resume(const Session& session, std::string_view last_event_id);
  EventLog::Resumption listening(const Session& session);
  // False: there is no memory for what was missed.
  bool append_missed(EventStreamPlan& plan, const std::vector<Event>& missed);
  static void append_next(std::string& events, const EventStreamPlan& plan, std::string message);

  // What is next in the outbox; empty when the client should see a sign of life or is gone, or it is late.
  awaitable<Outbox::Content> next(Outbox& outbox, std::optional<Clock::time_point> until);
  void outbox_filled() override;
  void outbox_overflowed() override;

  void wait_for(Waiting what, std::chrono::milliseconds patience);
  void time_is_up(Clock::time_point now);
  void stop_waiting();
  // Reads ahead while an answer is being made: the end of the input is how a client goes.
  void watch_for_disconnect();
  // While it is on. Returns when that read is over; what it has read is in the buffer.
  awaitable<void> stop_watching();

  HttpServer& owner_;
  const std::shared_ptr<OpenConnections> open_;
  const std::shared_ptr<EventLog> events_;
  const std::shared_ptr<MemoryBudget> budget_;
  const HttpLimits& limits_;
  boost::asio::ip::tcp::socket socket_;
  boost::beast::flat_buffer buffer_;
  std::array<std::byte, 2048> field_memory_;  // of the usual request; more comes from the heap
  boost::asio::steady_timer signal_;          // never expires; cancelled to wake the coroutine

  std::atomic<Clock::rep> due_;                    // when attention is wanted
  std::atomic<Clock::rep> yields_at_;              // while a share of the budget waits for the client
  MemoryBudget::Share body_share_;                 // of the request, until it is answered or a stream begins
  std::chrono::milliseconds rest_of_patience_{0};  // for an answer, once the client is watched
  Waiting waiting_ = Waiting::for_request;
  bool timed_out_ = false;
  bool gives_way_ = false;            // and so the request is read no further
  const Outbox* streamed_ = nullptr;  // while stream() runs
  bool cut_off_ = false;              // and nothing more is written
  bool lingers_ = false;              // the client has been told that the connection closes
  Watching watching_ = Watching::off;
  bool watched_ = false;  // for this answer already
  bool disconnected_ = false;
  bool closing_ = false;
};

}  // namespace mcph
