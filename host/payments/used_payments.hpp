// Which payments have been used, or are in use by a call: none is good twice. One that is in use is kept until its call
// ends, and one that has been used as long as it is valid; where there are too many of these, those go first that are
// valid for the shortest time, of which their networks take the money once all the same.
// Shared by who takes payments and the payments; any thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <set>
#include <string>
#include <utility>

#include "base/mutex.hpp"

namespace mcph {

class UsedPayments {
 public:
  using Time = std::chrono::system_clock::time_point;
  static constexpr std::size_t max_payments = 100'000;

  // Of one that is to be used now. False if it is in use, or has been used.
  bool take(const std::string& payment, Time now);
  // One that was taken has been used. `until` is when it ceases to be valid.
  void keep(const std::string& payment, Time until);
  // One that was taken has not been used after all.
  void give_back(const std::string& payment);

  std::size_t size() const;

 private:
  mutable Mutex mutex_;
  std::set<std::string> taken_ GUARDED_BY(mutex_);  // all of them
  std::set<std::pair<Time, std::string>> used_ GUARDED_BY(mutex_);
};

}  // namespace mcph
