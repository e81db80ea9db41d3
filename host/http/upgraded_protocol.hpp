// What a connection speaks after HTTP, from the answer 101 on (RFC 9110 section 7.8). Owned by its connection, on whose
// event loop all of it runs.
#pragma once

#include <chrono>

#include "base/principal.hpp"
#include "runtime/coroutine.hpp"

namespace mcph {

class UpgradedProtocol {
 public:
  virtual ~UpgradedProtocol() = default;

  // Answers the request, and returns when the connection is at its end. Nothing of it reads or writes any more then, or
  // what does holds the connection.
  virtual Coroutine<> run() = 0;

  // It is time for what it wanted to attend to (HttpConnection::attend_at).
  virtual void time_is_up(std::chrono::steady_clock::time_point now) = 0;
  // Ends it, if who has begun it is good no longer.
  virtual void expel(const IsGood& is_good) = 0;
};

}  // namespace mcph
