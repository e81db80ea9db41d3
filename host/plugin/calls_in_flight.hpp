// The calls that one plugin version has accepted and not completed, by id. An id is never used twice, so that a second
// or late completion finds nothing instead of somebody else's call. It counts them, too. Owned by a plugin; any thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "plugin/call.hpp"
#include "plugin/call_statistics.hpp"

namespace mcph {

class CallsInFlight {
 public:
  using Clock = std::chrono::steady_clock;

  std::uint64_t add(std::shared_ptr<Call> call);

  std::shared_ptr<Call> find(std::uint64_t id) const;

  // Removes it; null if it is unknown or has been taken already.
  std::shared_ptr<Call> take(std::uint64_t id);

  // The same, because the plugin has answered it.
  std::shared_ptr<Call> take_answered(std::uint64_t id);

  // A call has ended with an error, or will.
  void failed(std::string why);
  // What is no call's end.
  void went_wrong(std::string what);
  CallStatistics::Summary summary() const;

  struct Taken {
    std::vector<std::shared_ptr<Call>> calls;
    std::uint64_t last_id = 0;  // of all calls so far; 0 if there has been none
  };
  Taken take_all();

  // Those that the plugin has been given.
  std::vector<std::shared_ptr<Call>> take_claimed();

  struct Begun {
    std::uint64_t id;
    std::shared_ptr<Call> call;
    Clock::time_point since;
  };
  std::optional<Begun> oldest() const;
  std::vector<Begun> begun_before(Clock::time_point time) const;

  std::vector<std::shared_ptr<Call>> all() const;
  std::size_t size() const;

 private:
  struct Entry {
    std::shared_ptr<Call> call;
    Clock::time_point since;
  };

  mutable std::mutex mutex_;
  std::uint64_t last_id_ = 0;
  std::unordered_map<std::uint64_t, Entry> calls_;
  CallStatistics statistics_;
};

}  // namespace mcph
