// What an upstream has asked and nobody has answered yet. A plugin asks by ending a call, and is called again with the
// answers; meanwhile what belongs to them is kept here, under a key that nobody can guess and for the caller who was
// asked alone. Bounded, and each for a while. Owned by a plugin; any thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/json.hpp"
#include "base/mutex.hpp"

namespace mcph {

// The input requests of one call, asked together.
struct AskedInputRequests {
  std::vector<std::string> caller;       // who is asked, as Call::principal_key has it; empty: nobody knows
  std::uint64_t request = 0;             // of the legacy era: that the upstream is still at; 0: it is made again
  std::uint64_t connection = 0;          // likewise: to which the request belongs
  bool is_on_stream = false;             // likewise: over Streamable HTTP, which holds a stream until it has ended
  std::map<std::string, Json> ids = {};  // likewise: by which the upstream waits for each answer
  std::optional<std::string> request_state = {};  // of the modern one
  // Of visits of web pages, after which it only wants to be called again: the error that the call ends with otherwise.
  std::optional<std::string> without_visits = {};
  OrderedJson requests = OrderedJson::object();  // by names: what is asked
};

class UpstreamInputRequests {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::size_t max_open = 1024;
  // Of one call, as many as a plugin may ask at once.
  static constexpr std::size_t max_of_call = 32;
  // Of one caller who is known, and of all who are not, so that nobody takes the places of all.
  static constexpr std::size_t max_open_of_caller = 64;
  static constexpr std::size_t max_open_of_nobody = max_open / 2;
  // Of those of requests that hold a stream each, and with it one of the few connections that there may be.
  static constexpr std::size_t max_on_streams = 64;
  static constexpr std::size_t max_on_streams_of_caller = 16;
  static constexpr std::size_t max_on_streams_of_nobody = max_on_streams / 2;
  // What is asked, of all of them.
  static constexpr std::size_t max_bytes = std::size_t{64} << 20;
  // As long as a client may take by default, and a little more, so that it is the client's time that counts.
  static constexpr std::chrono::seconds time{11 * 60};

  // {"inputRequests", "inputState"}, the latter a key that nobody can guess, which comes back with the answers;
  // nothing: too many are open, or too much is asked.
  std::optional<std::string> ask(AskedInputRequests input_requests, Clock::time_point now);

  struct Answered {
    AskedInputRequests input_requests;
    Json answers;
  };
  // To which of them a call brings the answers, of which those of earlier rounds are left out. Nothing: they are not
  // open any more, or somebody else was asked.
  std::optional<Answered> take(const std::string& input_state, const Json& input_responses,
                               const std::vector<std::string>& caller);

  // Those that will have no answers. Nothing: they are not open any more.
  std::optional<AskedInputRequests> drop(const std::string& input_state);
  // Whether they are a request's that the upstream is still at.
  bool are_of_request(const std::string& input_state) const;
  // Of the legacy era: it waits for no answer any more to what it asked under this id. Who is to be told that nothing
  // of its input requests is open any more; null: nobody, for now.
  std::function<void()> withdraw(std::uint64_t connection, const Json& id);
  // The same of all that a request has asked that has ended without an answer.
  struct Withdrawn {
    std::vector<Json> ids = {};
    std::function<void()> told = {};
  };
  Withdrawn withdraw_all(std::uint64_t connection, std::uint64_t request);
  // The request has ended, and with it its stream. What it has asked stays open for who comes for its outcome.
  void end_stream(std::uint64_t connection, std::uint64_t request);
  // `told` is told that nothing of these is open any more, once; at once, if it is so.
  void watch(const std::string& input_state, const std::function<void()>& told);
  std::vector<AskedInputRequests> take_expired(Clock::time_point now);
  // Those of requests that have ended with their connection.
  void drop_requests();

 private:
  struct Open {
    AskedInputRequests input_requests;
    Clock::time_point until;
    std::size_t bytes;
    std::function<void()> withdrawn = {};
  };

  bool has_place_for(const AskedInputRequests& input_requests, std::size_t bytes) const REQUIRES(mutex_);

  mutable Mutex mutex_;
  std::size_t bytes_ GUARDED_BY(mutex_) = 0;
  std::map<std::string, Open> open_ GUARDED_BY(mutex_);  // by their keys
};

}  // namespace mcph
