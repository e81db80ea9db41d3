// What an upstream has asked and nobody has answered yet. A plugin asks by ending a call, and is called again with the
// answers; meanwhile what belongs to them is kept here, under names that nobody can guess and for the caller who was
// asked alone. Bounded, and each for a while. Owned by a plugin; any thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/json.hpp"
#include "base/mutex.hpp"

namespace mcph {

// The questions of one call, asked together.
struct AskedQuestions {
  std::string caller;                    // who is asked, as Call::caller has it
  std::uint64_t request = 0;             // of the legacy era: that the upstream is still at; 0: it is made again
  std::uint64_t connection = 0;          // likewise: to which the request belongs
  std::map<std::string, Json> ids = {};  // likewise: by which the upstream waits for each answer
  std::optional<std::string> request_state = {};  // of the modern one
  bool wants_answers = true;                      // false: it only wants to be called again
  Json requests = Json::object();                 // by names: what is asked
};

class UpstreamQuestions {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::size_t max_open = 1024;
  // Of one caller who is known, so that nobody takes the places of all.
  static constexpr std::size_t max_open_of_caller = 64;
  // As long as a client may take by default, and a little more, so that it is the client's time that counts.
  static constexpr std::chrono::seconds time{11 * 60};

  // {"inputRequests": ...} with the names that clients are to answer under; nothing: too many are open, of all callers
  // or of this one.
  std::optional<std::string> ask(AskedQuestions questions, Clock::time_point now);

  struct Answered {
    AskedQuestions questions;
    Json answers;  // by the upstream's names
  };
  // To which of them a call brings the answers. `is_lost`: it brings some to questions that are not open any more.
  std::optional<Answered> take(const Json& input_responses, const std::string& caller, bool& is_lost);

  std::vector<AskedQuestions> take_expired(Clock::time_point now);
  // Those of requests that have ended with their connection.
  void drop_requests();
  bool is_empty() const;

 private:
  struct Open {
    AskedQuestions questions;
    Clock::time_point until;
  };

  mutable Mutex mutex_;
  std::map<std::string, Open> open_ GUARDED_BY(mutex_);  // by the first part of their names
};

}  // namespace mcph
