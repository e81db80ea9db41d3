// The requests that a legacy server has sent to one client and that have no answer yet: what plugins ask, on the
// stream of the request that led to them. Owned by the session; any thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

#include "base/mutex.hpp"
#include "protocol/calls/awaited_answers.hpp"
#include "protocol/exchange.hpp"
#include "protocol/message.hpp"
#include "runtime/timers.hpp"

namespace mcph {

class PendingInputRequests : public std::enable_shared_from_this<PendingInputRequests> {
 public:
  // Of one client at once. A call that would ask more is told so.
  static constexpr std::size_t max_open = 256;

  struct NoAnswers {
    std::string why;
    // For whoever asked: the client's error, where that is why.
    int code = AwaitedAnswers::unwilling;
    std::string message = {};  // empty: `why`
  };
  // The answers by name, or why there are none.
  using Answers = std::variant<Json, NoAnswers>;
  using Done = std::function<void(Answers)>;
  // Whether an answer of so many bytes may be kept until the others have come, and what its call ends with if not.
  struct Room {
    std::function<bool(std::size_t bytes)> keep = [](std::size_t) { return true; };
    std::string none = {};
  };

  // Sends the requests, {name: {"method", "params"}}, and calls `done` once, when all are answered, one of them cannot
  // be, or `patience` is over; never when the client abandons the exchange. The timers outlive all of that. To be
  // called on an object that a shared pointer holds. The number of what has been asked; 0: nothing.
  std::uint64_t ask(const OrderedJson& requests, const std::shared_ptr<Exchange>& exchange, Timers& timers,
                    std::chrono::milliseconds patience, Room room, Done done);

  // Nobody waits for the answers any more: `done` has those that there are.
  void withdraw(std::uint64_t number);

  // Takes a response of the client. One that answers nothing is ignored.
  void take(const Message& response);

  // The client has answered the request of this id, and its answer cannot be taken: the call ends at once. `why`
  // continues "The client's answer to elicitation/create ...". Nothing if nothing waits for that answer.
  void refuse_answer(const std::string& id, const std::string& why);

  // The session is over: what is open ends with `why`, and so does what is still to be asked.
  void end(const std::string& why);

  bool any() const;

 private:
  // The requests of one call, which are answered together.
  struct Round {
    OrderedJson requests;
    Json answers = Json::object();
    std::shared_ptr<Exchange> exchange;
    Room room;
    Timers* timers = nullptr;
    Timers::Id timer;
    Done done;
    std::unordered_map<std::string, std::string> open = {};  // names by the ids that await an answer
  };
  using Rounds = std::unordered_map<std::uint64_t, std::shared_ptr<Round>>;
  using NumbersById = std::unordered_map<std::string, std::uint64_t>;

  // Asks what the round has open, and begins the client's time.
  void send(std::uint64_t number, std::vector<std::string> messages, const Round& round,
            std::chrono::milliseconds patience) EXCLUDES(mutex_);
  // Why no more can be asked; empty if they can.
  std::string refusal_of(std::size_t more) const REQUIRES(mutex_);
  // What an id asks; null if nothing.
  OrderedJson request_of(const std::string& id) const;
  // One request has no answer that could be used, so its round has none.
  void fail(const std::string& id, NoAnswers why);
  // The request is answered. Its name.
  std::string close(NumbersById::iterator request) REQUIRES(mutex_);
  // What has no answer yet is taken back.
  void finish(std::uint64_t number, Answers answers);
  // Null if it has ended.
  std::shared_ptr<Round> remove(std::uint64_t number) REQUIRES(mutex_);

  mutable Mutex mutex_;
  std::uint64_t last_id_ GUARDED_BY(mutex_) = 0;
  std::uint64_t last_round_ GUARDED_BY(mutex_) = 0;
  NumbersById rounds_by_id_ GUARDED_BY(mutex_);
  Rounds rounds_ GUARDED_BY(mutex_);
  std::string ended_ GUARDED_BY(mutex_);  // why; empty: it has not
};

}  // namespace mcph
