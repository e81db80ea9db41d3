// The last requests of clients, for people who look for the slow one and the failed one. What failed or took long is
// remembered for longer than the rest, which a busy host forgets within seconds. Owned by who assembles the program,
// which outlives the protocol; any thread. To note a call costs about a microsecond.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/mutex.hpp"
#include "protocol/call_observer.hpp"

namespace mcph {

struct RecentCall {
  std::uint64_t number = 0;  // of all calls since the start, from 1 on
  std::chrono::system_clock::time_point at;
  std::chrono::microseconds took{0};
  std::string method;
  std::string component;
  std::string plugin;    // empty: none was given it
  std::string who;       // Principal::id; empty: anonymous
  std::string client;    // what the program calls itself, with its version
  std::string revision;  // of the protocol
  NetworkTransport transport = NetworkTransport::tcp;
  CallEnd::Outcome outcome = CallEnd::Outcome::result;
  int error_code = 0;
  // Of JSON; 0: there was none.
  std::size_t params_bytes = 0;
  std::size_t answer_bytes = 0;

  static constexpr std::chrono::seconds slow{1};
  bool is_notable() const { return outcome != CallEnd::Outcome::result || took >= slow; }
};

// What a call has asked and was answered, in JSON that may be cut off.
struct CallBodies {
  std::uint64_t number = 0;  // of the call
  std::string plugin = {};
  std::string params = {};
  std::string answer = {};
};

class RecentCalls final : public CallObserver {
 public:
  static constexpr std::size_t max_text_bytes = 200;                     // of each text, which is cut off there
  static constexpr std::size_t max_body_bytes = 4000;                    // of params, and of an answer
  static constexpr std::size_t max_bodies_bytes = std::size_t{8} << 20;  // of all calls
  static constexpr std::size_t notable_calls = 200;

  explicit RecentCalls(std::size_t most, bool keeps_bodies = false) : most_(most), keeps_bodies_(keeps_bodies) {}

  std::size_t kept_params() const override { return keeps_bodies_ ? max_body_bytes : 0; }
  void ended(const CallEnd& end) override;

  // What has come after the call of this number: of the ordinary ones the last, and those that are notable.
  struct News {
    std::vector<RecentCall> calls = {};  // by number
    std::uint64_t last = 0;              // the number of the last call of all
    std::uint64_t left_out = 0;
  };
  News since(std::uint64_t seen, std::size_t most) const;
  // Those of the call of this number; nothing: they have been forgotten, or are not kept.
  std::optional<CallBodies> bodies_of(std::uint64_t number) const;

  // How many answers of a plugin took less than 8 us, less than 16 us and so on; the last counts all that took longer.
  using Histogram = std::array<std::uint64_t, 30>;
  static constexpr std::size_t max_plugins = 1000;  // that are told apart
  Histogram times_of(std::string_view plugin) const;

 private:
  void keep_bodies(CallBodies bodies) REQUIRES(mutex_);
  void count(std::string_view plugin, std::chrono::microseconds took) REQUIRES(mutex_);

  const std::size_t most_;
  const bool keeps_bodies_;
  mutable Mutex mutex_;
  std::uint64_t last_ GUARDED_BY(mutex_) = 0;
  std::deque<RecentCall> all_ GUARDED_BY(mutex_);
  std::deque<RecentCall> notable_ GUARDED_BY(mutex_);  // that are in `all_` no more, or soon will not be
  std::deque<CallBodies> bodies_ GUARDED_BY(mutex_);
  std::size_t bodies_bytes_ GUARDED_BY(mutex_) = 0;
  std::map<std::string, Histogram, std::less<>> times_ GUARDED_BY(mutex_);  // by plugin
};

}  // namespace mcph
