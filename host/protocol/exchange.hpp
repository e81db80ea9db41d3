// One request as the protocol sees it: it may send notifications, ends with exactly one reply, and can be abandoned by
// the client. A transport derives from it to say how the messages travel: a JSON body, an SSE stream, a line on stdout.
// Replies are keyed by the exchange, never by the client's JSON-RPC id, because ids of different clients may be equal.
// Shared by the transport and whoever answers; any thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/mutex.hpp"
#include "limits/standing.hpp"
#include "protocol/call_observer.hpp"
#include "protocol/requests_in_flight.hpp"

namespace mcph {

// What became of a message. A transport that has words of its own for it says them, such as the statuses of HTTP.
enum class ReplyStatus {
  answered,  // with the body, which may be an error
  accepted,  // and there is nothing to say
  ended,     // the session, as its client asked
  // From here on refusals.
  invalid,             // the message, or what came with it
  not_found,           // the method, or the session
  not_offered,         // what the client asks for, by its revision
  too_long,            // the message
  insufficient_scope,  // of the client's credential
  limited,             // by how many such requests are admitted
  unavailable,         // at this time
};
inline bool is_refusal(ReplyStatus status) {
  return status > ReplyStatus::ended;
}

// What a client must know of the session that has been opened for it.
struct OpenedSession {
  std::string id;
  std::chrono::system_clock::time_point expiry;  // if it is not used until then
  std::string revision = {};                     // of the protocol
};

struct Reply {
  std::string body;  // one message; empty where none is due
  ReplyStatus status = ReplyStatus::answered;
  std::optional<OpenedSession> session = {};
  std::vector<std::string> scopes = {};     // that the client's credential lacks
  std::optional<LimitStanding> limit = {};  // that refuses it
  // For who observes it: the code of a JSON-RPC error, 0 where it is none; and a result that says isError.
  int error_code = 0;
  bool is_tool_error = false;
};

class RequestRecord;

// Where a request comes from.
struct RequestOrigin {
  std::string source = {};  // an address, or "stdio"; empty: unknown
  std::size_t bytes = 0;    // of the message that brought it, which may have brought others, too
};

class Exchange : public std::enable_shared_from_this<Exchange> {
 public:
  explicit Exchange(Arrival arrival = {}) : arrival_(std::move(arrival)) {}
  virtual ~Exchange() = default;
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  // Sends a notification that belongs to the request. Nothing once the exchange has ended.
  void notify(std::string message);
  // The same for one that is dropped where the client has left too much unread.
  void notify_if_room(std::string message);

  // Ends the exchange. Only the first reply counts. Where there is a record, it leaves when that has been kept.
  // `sent` is called after that, if this is the one. Where it throws for lack of memory, the exchange has not ended,
  // and another reply, which is shorter, may find memory.
  void reply(Reply reply, const std::function<void()>& sent = {});

  // The client wants no answer any more: ends the exchange without one and cancels the work.
  void abandon();

  // What cancels the work when the client abandons it; at once if it has.
  void on_abandon(std::function<void()> listener);

  // Whether a reply would still reach the client. What makes a long one need not make it for nobody.
  bool is_awaited();

  const Arrival& arrival() const { return arrival_; }

  // The observer, which outlives it, is told of the end of this request. Once, before anything that can end it.
  void observe(CallObserver& observer, ObservedCall call);
  // More of what is observed, if anything is.
  void note_caller(std::shared_ptr<const Caller> caller);
  // `plugin` is empty where the component is there, and its plugin has not been asked.
  void note_served(std::string_view plugin);
  // Null: it is not traced.
  std::shared_ptr<const TraceSpan> span();

  // Keeps the place, by which its client can cancel it, until the exchange has ended.
  void hold_place(RequestsInFlight::Place place);
  // The same with what counts requests in flight. Once, before anybody can reply.
  void hold_places(std::vector<std::shared_ptr<const void>> places);
  // The same with the share of a budget that its message has, until nothing of that is kept any more. Returns what it
  // had.
  std::shared_ptr<const void> hold_memory(std::shared_ptr<const void> share);
  virtual void release_memory() { hold_memory(nullptr); }

  // Both are called by the thread that has made the exchange, before any other one knows it, because no lock guards
  // them: comes_from by the transport, keep_record by the server, of an exchange that a shared pointer holds.
  void comes_from(RequestOrigin origin) { origin_ = std::move(origin); }
  void keep_record(std::shared_ptr<RequestRecord> record) { record_ = std::move(record); }
  const RequestOrigin& origin() const { return origin_; }
  // Of its request; null: nobody keeps one.
  virtual const std::shared_ptr<RequestRecord>& record() const { return record_; }

 private:
  // Never called after `finish`, and never two at once. After a lack of memory `finish` is called again.
  virtual void send(std::string message) = 0;
  virtual void send_if_room(std::string message) = 0;
  virtual void finish(Reply reply) = 0;
  // Finishes with a reply that may leave.
  void deliver(Reply reply, const std::function<void()>& sent) EXCLUDES(mutex_);
  // Whether there is somebody to send to.
  virtual bool has_reader() const { return true; }

  RequestOrigin origin_;
  std::shared_ptr<RequestRecord> record_;

  struct Observed {
    CallObserver& observer;
    ObservedCall call;
  };
  void tell_end(CallEnd::Outcome outcome, int error_code, std::string_view answer) REQUIRES(mutex_);

  const Arrival arrival_;
  const std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  Mutex mutex_;
  bool ended_ GUARDED_BY(mutex_) = false;
  bool is_finished_ GUARDED_BY(mutex_) = false;  // the reply has been handed to the transport
  bool abandoned_ GUARDED_BY(mutex_) = false;
  std::function<void()> listener_ GUARDED_BY(mutex_);
  RequestsInFlight::Place place_ GUARDED_BY(mutex_);
  std::vector<std::shared_ptr<const void>> counted_ GUARDED_BY(mutex_);
  std::shared_ptr<const void> memory_ GUARDED_BY(mutex_);
  std::unique_ptr<Observed> observed_ GUARDED_BY(mutex_);  // null: nobody observes it
};

}  // namespace mcph
