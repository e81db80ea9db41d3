#include "payments/used_payments.hpp"

namespace mcph {

bool UsedPayments::take(const std::string& payment, Time now) {
  const MutexLock lock(mutex_);
  while (!used_.empty() && (used_.begin()->first < now || used_.size() > max_payments)) {
    taken_.erase(used_.begin()->second);
    used_.erase(used_.begin());
  }
  return taken_.insert(payment).second;
}

void UsedPayments::keep(const std::string& payment, Time until) {
  const MutexLock lock(mutex_);
  used_.emplace(until, payment);
}

void UsedPayments::give_back(const std::string& payment) {
  const MutexLock lock(mutex_);
  taken_.erase(payment);
}

std::size_t UsedPayments::size() const {
  const MutexLock lock(mutex_);
  return taken_.size();
}

}  // namespace mcph
