#include "payments/used_payments.hpp"

namespace mcph {

bool UsedPayments::take(const std::string& payment, Time until, Time now) {
  const MutexLock lock(mutex_);
  forget_before(now);
  if (!until_.emplace(payment, until).second) return false;
  by_time_.emplace(until, payment);
  return true;
}

void UsedPayments::give_back(const std::string& payment) {
  const MutexLock lock(mutex_);
  const auto found = until_.find(payment);
  if (found == until_.end()) return;
  by_time_.erase({found->second, payment});
  until_.erase(found);
}

std::size_t UsedPayments::size() const {
  const MutexLock lock(mutex_);
  return until_.size();
}

void UsedPayments::forget_before(Time now) {
  while (!by_time_.empty() && (by_time_.begin()->first < now || until_.size() >= max_payments)) {
    until_.erase(by_time_.begin()->second);
    by_time_.erase(by_time_.begin());
  }
}

}  // namespace mcph
