// The events of legacy HTTP streams, kept so that a client that has lost a connection, or whose connection was closed
// to be polled, hears what it missed (2025-11-25, basic/transports, "Resumability and Redelivery"). One for each
// server, shared with its connections, which may be the last to go; any thread.
//
// Bounds: Limits. At a bound the oldest events go, those of the session itself at its own, those of the session that
// opened or resumed a stream longest ago at the one for all. An event larger than all that a session may have, such as
// a long answer, counts only at the one for all, so that it can be resumed, too; the newest event of all is kept even
// if it is larger than that. A stream that is resumed then lacks them; one whose reply has gone, or that nobody has
// resumed for so long, is unknown, and so is one whose reply was never taken, because its client read too slowly.
//
//   a stream is | entered when                      | what still comes of it     | left for
//   ------------+-----------------------------------+----------------------------+----------------------------------
//   carried     | a connection opens or resumes it  | the connection takes it    | waiting or over, when that
//               |                                   | and adds it here           | releases it, as it is asked to
//               |                                   |                            | when another one resumes it
//   waiting     | its connection has gone, and its  | the log takes it from the  | carried, when it is resumed; over,
//               | reply has not come                | outbox                     | when the reply has come
//   over        | nothing more comes, and nobody    | nothing                    | carried, when what was missed is
//               | carries it                        |                            | to be said again; gone, at a bound
//               |                                   |                            | or unused for so long
//   gone        | its session ended, a message of   | nothing                    |
//               | it was lost, or it was dropped    |                            |
//
// Invariants. One connection at most carries a stream: whoever resumes one that is carried waits until it is released,
// so that all that the other one has taken is here, and the last who has asked gets it. An event's number is never used
// twice, and grows by one: what a client has not heard is what has a larger number. Bounds take the oldest event first,
// but a session's bound leaves one that alone is larger than it, so a stream that is resumed may lack events before
// such a one and after it. A stream that has lost its reply is not resumed from before that. `bytes` of all is the sum
// of those of the sessions, and each of these the sum of the costs of its streams and events. No outbox is let go under
// the lock, because that may end a call.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/mutex.hpp"
#include "base/principal.hpp"
#include "transport/outbox.hpp"

namespace mcph {

// "r17-3": the third event of stream 17. Streams of all sessions are numbered together; number 0 stands before the
// first event.
struct EventId {
  // A stream answers a request, or was opened to listen.
  enum class Kind { response, listening };
  Kind kind = Kind::response;
  std::uint64_t stream = 0;
  std::uint64_t number = 0;

  bool operator==(const EventId&) const = default;
  static std::optional<EventId> read(std::string_view text);
  std::string text() const;
};

struct Event {
  EventId id;
  std::shared_ptr<const std::string> message;  // shared, because it may be large: no copy is made under the log's lock
};

class EventLog;
class EventStream;

// What the log keeps for one session.
struct SessionEvents {
  std::string session;
  std::map<std::uint64_t, std::shared_ptr<EventStream>> streams;  // the oldest first
  std::size_t bytes = 0;
  std::size_t large_bytes = 0;  // of them, those of events larger than all that a session may have
  std::chrono::steady_clock::time_point last_use;
  std::uint64_t use = 0;  // grows from one use of any session to the next
};

// One stream of a session, whichever connections carry it. Made by the log, which keeps it while it may be resumed.
// What changes in it is the log's to guard.
class EventStream final : public OutboxReader, public std::enable_shared_from_this<EventStream> {
 public:
  EventStream(std::weak_ptr<EventLog> log, SessionEvents& session, EventId before_first, std::shared_ptr<Outbox> outbox,
              Principal opener)
      : log_(std::move(log)),
        session_(&session),
        before_first_(before_first),
        outbox_(std::move(outbox)),
        opener_(std::move(opener)) {}

  // What stands before its first event.
  const EventId& before_first() const { return before_first_; }
  bool listens() const { return before_first_.kind == EventId::Kind::listening; }

  // Keeps the next event, and says what it is called.
  EventId add(std::shared_ptr<const std::string> message);
  EventId add(std::string message) { return add(std::make_shared<const std::string>(std::move(message))); }
  // There will be no more events.
  void end();
  // The same, but what should have been among them is lost: it is resumed no more.
  void lose();
  // The connection that carried it does so no more: until it is resumed, what comes to its outbox goes to the log.
  void release();
  // Whether it is still carried, and nobody has asked for it since this reader has, which is woken when that changes.
  bool is_awaited_by(const std::weak_ptr<OutboxReader>& reader) const;

 private:
  friend class EventLog;
  void outbox_filled() override;
  void outbox_overflowed() override { outbox_filled(); }

  const std::weak_ptr<EventLog> log_;
  SessionEvents* session_;  // null once the log has forgotten it
  const EventId before_first_;
  std::uint64_t last_ = 0;          // number that was given
  std::shared_ptr<Outbox> outbox_;  // of the request in flight that it answers;
                                    // null for any other stream
  const Principal opener_;
  std::deque<Event> events_;
  bool carried_ = true;                  // by a connection
  std::weak_ptr<OutboxReader> carrier_;  // of that connection
  std::weak_ptr<OutboxReader> next_;     // who has asked for it last, while another one carried it
  bool ended_ = false;
};

class EventLog : public std::enable_shared_from_this<EventLog> {
 public:
  using Clock = std::function<std::chrono::steady_clock::time_point()>;

  struct Limits {
    std::size_t session_bytes = std::size_t{4} << 20;
    std::size_t bytes = std::size_t{64} << 20;
    std::chrono::milliseconds time{600'000};  // for which a stream that nobody uses is kept
  };
  // Counted for each event and each stream besides its text.
  static constexpr std::size_t event_cost = 128;
  static constexpr std::size_t stream_cost = 512;

  explicit EventLog(Limits limits, Clock clock = std::chrono::steady_clock::now);

  // A stream that begins on the connection that asks, for this principal. Of a response with the outbox that it comes
  // from. The carrier is asked to leave where another connection resumes the stream.
  std::shared_ptr<EventStream> open_response(const std::string& session, std::shared_ptr<Outbox> outbox,
                                             const Principal& opener = anonymous,
                                             const std::weak_ptr<OutboxReader>& carrier = {});
  std::shared_ptr<EventStream> open_listening(const std::string& session, const Principal& opener = anonymous,
                                              const std::weak_ptr<OutboxReader>& carrier = {});

  // A stream from behind one of its events on.
  struct Resumption {
    // carried: another connection carries it. Where this was asked first, that one has been asked to leave; where it
    // was asked again, a third one has asked for the stream since, and gets it. over: nothing more comes of a response,
    // and nothing was missed.
    enum class Outcome { resumed, unknown, carried, over };
    Outcome outcome = Outcome::unknown;
    std::shared_ptr<EventStream> stream = nullptr;  // null where it is unknown
    EventId last = {};
    std::vector<Event> missed = {};
    std::shared_ptr<Outbox> outbox = nullptr;  // what is still to come of a response; null if nothing is
  };
  // Where it is resumed, the reader, which asks, is from now on the one who takes from the outbox. It is unknown to
  // those who may not hear what its opener may; null: everybody may. Whoever waits for one that is carried
  // (EventStream::is_awaited_by) asks again then.
  using MayHear = std::function<bool(const Principal& opener)>;
  enum class Asks { first, again };
  Resumption resume(const std::string& session, const EventId& last, const std::weak_ptr<OutboxReader>& reader,
                    const MayHear& may_hear = nullptr, Asks asks = Asks::first);

  // The session has ended.
  void forget(const std::string& session);
  // Drops what nobody has used for so long. To be called now and then.
  void forget_unused();

  std::size_t bytes() const;

 private:
  friend class EventStream;

  using ByUse = std::list<SessionEvents>;  // the one that was used longest ago first

  std::shared_ptr<EventStream> open(const std::string& session, EventId::Kind kind, std::shared_ptr<Outbox> outbox,
                                    const Principal& opener, const std::weak_ptr<OutboxReader>& carrier);
  // Null if it is unknown, or cannot be resumed from there.
  std::shared_ptr<EventStream> find(const std::string& session, const EventId& last, const MayHear& may_hear) const
      REQUIRES(mutex_);
  Resumption carry(const std::shared_ptr<EventStream>& stream, const EventId& last,
                   const std::weak_ptr<OutboxReader>& reader) REQUIRES(mutex_);
  EventId add(EventStream& stream, std::shared_ptr<const std::string> message) REQUIRES(mutex_);
  // Of a stream that listens: an earlier event that says the same.
  void drop_repeated(EventStream& stream, const std::string& message) REQUIRES(mutex_);
  // What the outbox has, into the log. Returns the outbox if it has ended, to be let go without the lock.
  std::shared_ptr<Outbox> drain(EventStream& stream) REQUIRES(mutex_);

  SessionEvents& find_or_make(const std::string& session) REQUIRES(mutex_);
  void use(const SessionEvents& events) REQUIRES(mutex_);
  // It has something to drop, or may have.
  void note_droppable(ByUse::iterator entry) REQUIRES(mutex_);
  // Before it is moved or goes.
  void pass_over(ByUse::iterator entry) REQUIRES(mutex_);
  void count(SessionEvents& events, std::size_t bytes) REQUIRES(mutex_);
  static bool is_over(const EventStream& stream);
  void uncount(SessionEvents& events, std::size_t bytes) REQUIRES(mutex_);
  bool is_large(std::size_t bytes) const { return bytes > limits_.session_bytes; }
  // The oldest event, or stream that is over and has no events. False: there is none.
  enum class Droppable { small_ones, all };
  bool drop_oldest(SessionEvents& events, Droppable which, const EventId* newest) REQUIRES(mutex_);
  // For the newest event, which stays; null if it is for a stream.
  void make_room(SessionEvents& events, const EventId* newest) REQUIRES(mutex_);
  void remove(EventStream& stream) REQUIRES(mutex_);
  void remove_empty(const SessionEvents& events) REQUIRES(mutex_);

  const Limits limits_;
  const Clock clock_;
  mutable Mutex mutex_;
  ByUse by_use_ GUARDED_BY(mutex_);
  // Those before it have nothing to drop, however many only listen.
  ByUse::iterator droppable_ GUARDED_BY(mutex_) = by_use_.end();
  std::uint64_t uses_ GUARDED_BY(mutex_) = 0;
  // The keys are the entries' own.
  std::unordered_map<std::string_view, ByUse::iterator> by_session_ GUARDED_BY(mutex_);
  std::uint64_t streams_opened_ GUARDED_BY(mutex_) = 0;
  std::size_t bytes_ GUARDED_BY(mutex_) = 0;
};

}  // namespace mcph
