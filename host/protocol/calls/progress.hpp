// What a client hears of how far one of its calls is: only what grew, not too often, and nothing after the reply (MCP,
// basic/patterns/progress). What is told too fast is withheld; the last of it is told before the reply, so that a
// client never ends at less than the plugin said. Part of a call; any thread.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "base/mutex.hpp"
#include "protocol/exchange.hpp"
#include "protocol/message.hpp"

namespace mcph {

// How often progress is told. One thread at a time.
class ProgressAllowance {
 public:
  using Time = std::chrono::steady_clock::time_point;

  // As many at once, and as many more each second.
  static constexpr int burst = 20;
  static constexpr int per_second = 20;

  // Whether one more may be told, which counts as told then.
  bool take(Time now = std::chrono::steady_clock::now());

 private:
  double left_ = burst;
  Time counted_ = {};  // when left_ was
};

class Progress {
 public:
  using Time = ProgressAllowance::Time;

  // `meta` is the request's own, or null; without a progressToken in it the client hears nothing. `last` is what the
  // client has heard in earlier rounds of the call.
  explicit Progress(const Json& meta, std::optional<double> last = {});

  // `total` is 0 or less if unknown.
  void report(double progress, double total, std::string_view message, Exchange& exchange,
              Time now = std::chrono::steady_clock::now());

  // Tells what is withheld: the reply comes next.
  void finish(Exchange& exchange);

  bool is_wanted() const { return !token_.empty(); }
  std::optional<double> last() const;

 private:
  std::string params(double progress, double total, std::string_view message) const;

  const std::string token_;  // as JSON text; empty: the client wants none
  mutable Mutex mutex_;
  std::optional<double> last_ GUARDED_BY(mutex_);
  ProgressAllowance allowance_ GUARDED_BY(mutex_);
  std::string withheld_ GUARDED_BY(mutex_);  // params; empty: nothing
};

}  // namespace mcph
