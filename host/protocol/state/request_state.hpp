// The requestState of revision 2026-07-28 (basic/patterns/mrtr): what a call must still know when its client comes back
// with answers, handed to that client so that the server keeps nothing and any replica with the same key can go on. It
// is encrypted and authenticated (AES-256-GCM), and bound to what the call is for: whoever sends it with another
// request, as another principal, changed, or too late is refused. One for each server; any thread.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "protocol/message.hpp"

namespace mcph {

using StateKey = std::array<std::uint8_t, 32>;

// One that nobody else has, for a server without replicas.
StateKey random_state_key();
// From a file of at least 32 bytes that were made at random, in whatever form; replicas share it.
Result<StateKey> read_state_key(const std::filesystem::path& file);
// For one of several servers that have a key together: what one has sealed no other one opens.
StateKey state_key_of(std::string_view server, const StateKey& key);

class RequestState {
 public:
  using Clock = std::function<std::chrono::system_clock::time_point()>;

  RequestState(const StateKey& key, std::chrono::seconds lifetime, Clock clock = std::chrono::system_clock::now)
      : key_(key), lifetime_(lifetime), clock_(std::move(clock)) {}

  // `purpose` is all that the state must not be used apart from: the principal and the request.
  std::string seal(Json content, std::string_view purpose) const;

  // An error says what the client can do about it, and does not tell an attacker which of the reasons it was, but for a
  // state that is merely too old.
  Result<Json> open(std::string_view state, std::string_view purpose) const;

 private:
  const StateKey key_;
  const std::chrono::seconds lifetime_;
  const Clock clock_;
};

}  // namespace mcph
