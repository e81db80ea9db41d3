// Which payments have been used, or are in use by a call: none is good twice. One is kept as long as it is valid; where
// there are too many, those go first that are valid for the shortest time, which their networks refuse by themselves.
// Shared by who takes payments and the payments; any thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "base/mutex.hpp"

namespace mcph {

class UsedPayments {
 public:
  using Time = std::chrono::system_clock::time_point;
  static constexpr std::size_t max_payments = 100'000;

  // False if it is in use, or has been used. `until` is when it ceases to be valid.
  bool take(const std::string& payment, Time until, Time now);
  // It has not been used after all.
  void give_back(const std::string& payment);

  std::size_t size() const;

 private:
  void forget_before(Time now) REQUIRES(mutex_);

  mutable Mutex mutex_;
  std::map<std::string, Time> until_ GUARDED_BY(mutex_);
  std::set<std::pair<Time, std::string>> by_time_ GUARDED_BY(mutex_);
};

}  // namespace mcph
