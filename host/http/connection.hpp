// One HTTP connection: a coroutine that reads a request, has the service answer it, and begins again. It runs on one
// event loop, where one thread at a time runs it, so that it needs no lock. Keeps itself alive until the connection is
// closed; what is marked [any] may be called from any thread, everything else is for the handler of its request.
//
// It has no timer of its own: it says when it wants attention, and the server, which looks at all its connections a few
// times a second, gives it. That saves each request several system calls.
//
// It has more functions and members than most classes, because all of them share one stream and one time at which it is
// due: what waits for a request, what holds memory for it, and what notices that the client has gone.
//
// What a coroutine here hands to another one is a named value, never a temporary inside the co_await expression, and
// co_await is neither an operand of && or || nor the condition of a loop: gcc 12 compiles those wrongly.
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
#include <utility>
#include <vector>

#include <boost/beast/core/flat_buffer.hpp>

#include "http/request.hpp"
#include "http/response.hpp"
#include "http/server.hpp"
#include "http/service.hpp"
#include "http/stream.hpp"
#include "http/upgraded_protocol.hpp"
#include "runtime/memory_budget.hpp"
#include "runtime/wake_up.hpp"

namespace mcph {

class HttpConnection final : public LoopTurn, public std::enable_shared_from_this<HttpConnection> {
 public:
  using Clock = std::chrono::steady_clock;

  // Written at once, so that other connections of the event loop have their turn in between; and copied to stand behind
  // its head, because one write costs less than two. In bytes.
  static constexpr std::size_t max_write = std::size_t{256} << 10;
  static constexpr std::size_t max_copied = std::size_t{64} << 10;

  HttpConnection(std::unique_ptr<HttpStream> stream, HttpServer& server);
  ~HttpConnection();
  HttpConnection(const HttpConnection&) = delete;
  HttpConnection& operator=(const HttpConnection&) = delete;

  void start();
  // [any] The time is `now`: does what is due by then.
  void attend(Clock::time_point now);
  // [any] The look at the connections of the time `now` is late. What is waited for since the look `since`, or a later
  // one before `now`, is due later by so much: if looks are 50 ms apart and this one comes after 80 ms, by 30 ms.
  void put_off(Clock::duration late, Clock::time_point since, Clock::time_point now);
  // [any] Ends the connection after the answer it is busy with, at once if there is none.
  void shut_down();
  // [any] From when on the connection is ended if others need the memory of the large request that its client is slow
  // to send, or of the large answer that it is slow to read; the end of time where there is neither.
  Clock::time_point yields_at() const;
  // [any] Ends what is being answered to a principal whose credential is good no longer.
  void expel(const std::shared_ptr<const IsGood>& is_good);
  // [any] Ends it, unless that request or answer, whose time this was, is over by now.
  void give_way(Clock::time_point yields_at);

  // [any]
  const HttpLimits& limits() const { return server_.options().limits; }
  const HttpService& service() const { return server_.service(); }
  const std::shared_ptr<MemoryBudget>& budget() const { return budget_; }
  boost::asio::any_io_executor executor() const { return stream_->executor(); }
  // A little late, and therefore cheap.
  Clock::time_point now() const { return server_.now(); }

  // What the response depends on.
  const HttpClient& client() const { return client_; }
  // Whom the response is for.
  void answer_to(const Principal& principal) { principal_ = principal; }
  // The head of the response has these lines, each with its end, in place of the service's; they outlive the request.
  void add_to_head(std::string_view fields) { client_.more_fields = fields; }
  // The response has these fields, too, unless it has others of their names.
  void add_fields(ResponseFields fields) { client_.fields = std::move(fields); }
  // What is let go of before the response is written, or when there has been none; of a request that upgrades the
  // connection at the end of that. Whoever lets go of it later takes it.
  void hold(std::vector<std::shared_ptr<const void>> held) { held_ = std::move(held); }
  std::vector<std::shared_ptr<const void>> take_held() { return std::exchange(held_, {}); }
  // The same with what the body takes of the budget; null: nothing.
  std::shared_ptr<const void> take_body_share();
  // Pages of this origin may read the response; "*": all pages.
  void let_read(std::optional<std::string_view> origin);
  // So that no cache gives it to a page of another one (RFC 9110 section 12.5.5).
  void vary_by_origin() { client_.varies_by_origin = true; }

  // The response, whole.
  Coroutine<> respond(HttpResponse response);
  Coroutine<> refuse(HttpRefusal refusal);
  HttpRefusal no_memory_for(std::string_view what) const;

  // The head of a response that is an event stream. It may live for as long as its client likes: a large body has been
  // dropped before, or its share taken.
  std::string begin_event_stream();
  // A piece of it. False: the client is gone or too slow.
  Coroutine<bool> write(std::string_view text);
  // No other request is taken.
  void close_then() { client_.keep_alive = false; }
  // Instead of a response: when the request has been dealt with, the connection is the protocol's.
  void upgrade(std::unique_ptr<UpgradedProtocol> protocol);
  // For the protocol. What has been read ahead comes first. It is told when its time has come, if not sooner.
  Coroutine<HttpStream::Transferred> read_some(boost::asio::mutable_buffer bytes);
  Coroutine<HttpStream::Transferred> write_some(boost::asio::const_buffer bytes) { return stream_->write_some(bytes); }
  void attend_at(Clock::time_point time) {
    waits_since_.store(now().time_since_epoch().count(), std::memory_order_relaxed);
    due_.store(time.time_since_epoch().count(), std::memory_order_release);
  }
  // Whatever is being read or written.
  void abort();

  // Whatever is being written. `closed` is what is closed thereby, as the log calls it.
  void cut_off(std::string_view closed, std::string_view reason);
  bool is_cut_off() const { return cut_off_; }

  // To wait for what a response is made of: begin; then, until there is something or the time is up or the client has
  // gone, await the next wake-up, of which there may be too many.
  void begin_waiting(std::chrono::milliseconds patience);
  WakeUp::Waiting wake_up() { return waiters_.next(); }
  bool is_time_up() { return std::exchange(timed_out_, false); }
  bool is_disconnected() const { return disconnected_; }
  // Because the credential of the principal that is being answered is good no longer.
  bool is_expelled() const { return expelled_; }
  // [any]
  void wake() { threads_.wake(loop_, shared_from_this()); }
  // [any] The same when what is waited for comes once, and there is no time at which it is looked for: waits for the
  // memory that it takes.
  void wake_surely();
  void take_turn() override {
    if (waiters_.wake_all()) wake();
    waiters_.resume_one();
  }

  // Has the work on a message of so many bytes done where the other connections of the event loop do not wait for it,
  // and goes on on the event loop when it is done. `work` lives until then.
  Coroutine<> work_on(std::size_t bytes, const std::function<void()>& work);
  // The same of what may block, as a call of a plugin does.
  Coroutine<> wait_for_work(const std::function<void()>& work);
  // The same of a message that may have to wait for another one of its client, but not for calls that block: it may be
  // what these wait for.
  Coroutine<> work_in_turn(std::size_t bytes, const std::function<void()>& work);

  // The share of the budget is used for what the client is slow to send or to read, for so long without complaint.
  void begin_holding(const MemoryBudget::Share& share, std::chrono::milliseconds patience) {
    if (!share.is_empty()) hold_until(now() + patience);
  }
  // Until then without complaint.
  void hold_until(Clock::time_point time) {
    yields_at_.store(time.time_since_epoch().count(), std::memory_order_relaxed);
  }
  void end_holding() { hold_until(Clock::time_point::max()); }
  // Nobody reads the body, or nobody will.
  void drop_body(HttpRequest& request);

 private:
  using BeginWork = std::function<void(std::function<void()> work)>;
  // Elsewhere, and returns when it is done.
  Coroutine<> work_elsewhere(const BeginWork& begin, const std::function<void()>& work);

  static constexpr Clock::rep never = Clock::time_point::max().time_since_epoch().count();

  // What the coroutine waits for, and so what it means when its time is up. for_rest stays while the request that has
  // come is at work, until something else is waited for.
  enum class Waiting { for_request, for_rest, for_room, for_answer, for_bytes };

  // Whether a read waits for the end of the input while an answer is made. Such a read may have ended before it can be
  // cancelled: it looks here for whether another one begins.
  enum class Watching { off, on, stopping };

  Coroutine<> serve();
  // False: there will be no request.
  Coroutine<bool> open();
  Coroutine<> linger();
  // Whether the connection can take another request.
  Coroutine<bool> serve_request();
  bool wait_for_request(const HttpRequestReader& reader);
  std::chrono::milliseconds first_request_patience() const;
  // False: there is none to be answered.
  Coroutine<bool> read_request(HttpRequestReader& reader);
  Clock::time_point wait_for_body();
  void wait_for_id(Clock::time_point body_due);
  // Whether there is memory for what has come of the body, which may take a while.
  Coroutine<bool> has_room_for(const HttpRequestReader& reader);
  Coroutine<> refuse_unread(HttpRefusal refusal);
  Coroutine<> refuse_for_memory();
  Coroutine<> answer(HttpRequestReader& reader);
  // No coroutine itself: the frame of a stream need not hold a place for a refusal.
  Coroutine<> serve_or_refuse(const HttpMessage& message, HttpRequest& request);

  Coroutine<> serve_upgraded();
  Coroutine<HttpStream::Transferred> take_read_ahead(boost::asio::mutable_buffer bytes);
  // What the socket takes now of the response, and what is left to be written. False: the client is gone.
  bool write_at_once(const HttpResponse& response, bool without_body, std::string& rest);
  void end_event_stream();
  void wait_for(Waiting what, std::chrono::milliseconds patience);
  void time_is_up(Clock::time_point now);
  void look_at_certificate();
  void certificate_has_expired();
  void end_answer();
  void stop_waiting();
  void warn(std::string_view closed, std::string_view reason) const;
  // Reads ahead while an answer is being made: the end of the input is how a client goes.
  void watch_for_disconnect();
  Coroutine<> watch();
  // While it is on. Returns when that read is over; what it has read is in the buffer.
  Coroutine<> stop_watching();

  HttpServer& server_;
  EventLoops& threads_;  // which outlive the server
  const std::shared_ptr<OpenConnections> open_;
  const std::shared_ptr<MemoryBudget> budget_;
  const std::unique_ptr<HttpStream> stream_;
  boost::beast::flat_buffer buffer_;
  std::array<std::byte, 1536> field_memory_;  // of the usual request; more comes from the heap
  boost::asio::io_context& loop_;
  WakeUp waiters_;  // for what is not read or written

  const Clock::time_point came_ = Clock::now();
  std::atomic<Clock::rep> ends_at_{never};         // when the certificate expires that has admitted the client
  std::atomic<Clock::rep> due_{never};             // when attention is wanted
  std::atomic<Clock::rep> waits_since_{0};         // the look at the connections from which that is counted
  std::atomic<Clock::rep> yields_at_{never};       // while a share of the budget waits for the client
  HttpClient client_;                              // of the request that is being answered
  std::optional<Principal> principal_;             // likewise, once it is known
  std::vector<std::shared_ptr<const void>> held_;  // likewise
  std::unique_ptr<UpgradedProtocol> upgraded_;     // null: the connection is HTTP
  MemoryBudget::Share body_share_;                 // of the request, until it is answered or somebody takes it
  std::chrono::milliseconds rest_of_patience_{0};  // for an answer, once the client is watched
  Waiting waiting_ = Waiting::for_request;
  bool timed_out_ = false;
  bool gives_way_ = false;    // and so the request is read no further
  bool cut_off_ = false;      // and nothing more is written
  bool streams_ = false;      // the answer is an event stream
  bool is_upgraded_ = false;  // and the protocol is not over
  bool lingers_ = false;      // the client has been told that the connection closes
  Watching watching_ = Watching::off;
  bool watched_ = false;  // for this answer already
  bool disconnected_ = false;
  bool expelled_ = false;
  bool closing_ = false;
  bool is_new_ = true;  // its client has asked nothing yet
};

}  // namespace mcph
